import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LOOK } from '#edge/pages/look.ts'
import { INDEX_FILE, NOT_FOUND_FILE, type SiteForm } from './form.ts'
import { loadMarkdown, type RenderedGuide } from './markdown.ts'
import { createNavigation } from './navigation.ts'
import { guidePage, indexPage, notFoundPage } from './page.ts'
import { kindOf, type PageKind } from './page-kind.ts'
import { readGuides } from './sources.ts'

/** Texts of all files of the site, by file name. */
export type Site = ReadonlyMap<string, string>

/** Parts of the style sheet, in their order. */
const STYLES = ['frame.css', 'search.css', 'navigation.css', 'text.css', 'index.css']
/** Parts of the script, in their order. */
const SCRIPTS = ['rank.js', 'guides.js']

/** Renders the guides of a checkout. A release reads the files that its build made this way. */
export async function makeSite(root: string, form: SiteForm, version: string): Promise<Site> {
  const [sources, renderGuide] = await Promise.all([readGuides(root), loadMarkdown()])
  const names = new Map(sources.map(({ path, name }) => [path, name]))
  const addressOf = (path: string) => {
    const name = names.get(path)
    return name === undefined ? undefined : form.pageAddress(name)
  }
  const all = sources.map((source) => ({ source, guide: renderGuide(source, addressOf) }))
  const frame = { form, navigation: createNavigation(all) }
  const browser = join(root, 'src', 'server', 'areas', 'guides', 'browser')
  const readAll = (files: readonly string[]) => Promise.all(files.map((file) => readFile(join(browser, file), 'utf8')))
  return new Map([
    [INDEX_FILE, indexPage(frame, version)],
    [NOT_FOUND_FILE, notFoundPage(frame)],
    ...all.map(({ source: { name }, guide }) => [`${name}.html`, guidePage(name, guide, frame)] as const),
    ['guides.css', [LOOK, ...(await readAll(STYLES))].join('\n')],
    ['guides.js', (await readAll(SCRIPTS)).join('\n')],
    [
      'search-index.js',
      searchIndex(
        all.map(({ source: { name }, guide }) => ({
          address: form.pageAddress(name),
          kind: kindOf(name),
          guide,
        })),
      ),
    ],
  ])
}

/** A script and not JSON, because pages that were opened from a folder may not fetch files. */
function searchIndex(guides: readonly { address: string; kind: PageKind; guide: RenderedGuide }[]): string {
  const pages = guides.map(({ address, kind, guide: { title, sections } }) => ({
    address,
    title,
    kind,
    sections: sections.map(({ id, heading, text }) => [id, heading, text]),
  }))
  return `globalThis.svcGuides = ${JSON.stringify(pages)}\n`
}
