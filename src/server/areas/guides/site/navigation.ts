import { type Html, html } from '#edge/pages/html.ts'
import type { SiteForm } from './form.ts'
import { type GuideGroup, readGroups } from './groups.ts'
import type { RenderedGuide } from './markdown.ts'
import type { GuideSource } from './sources.ts'

type Entry = {
  readonly name: string
  readonly title: string
  readonly lead: string
  /** Guides that are listed below this one while it or one of them is open. */
  readonly below: readonly Entry[]
}

export type Navigation = readonly { readonly label: string; readonly entries: readonly Entry[] }[]

type Rendered = { readonly source: GuideSource; readonly guide: RenderedGuide }

const README = 'README.md'
/** The title of the README is the name of the product. */
const START: GuideGroup = { label: 'Start', paths: [README] }
const DECISIONS = 'docs/decisions/README.md'

/** Groups the guides as the README does. Throws for a guide that the README does not list. */
export function createNavigation(all: readonly Rendered[]): Navigation {
  const byPath = new Map(all.map((rendered) => [rendered.source.path, rendered]))
  const decisions = all.filter(({ source: { path } }) => path.startsWith('docs/decisions/') && path !== DECISIONS)
  const groups = [START, ...readGroups(byPath.get(README)!.source.markdown)]
  const listed = new Set([...groups.flatMap(({ paths }) => paths), ...decisions.map(({ source }) => source.path)])
  const unlisted = [...byPath.keys()].filter((path) => !listed.has(path))
  if (unlisted.length > 0) throw new Error(`The README lists no ${unlisted.join(', ')} under "Guides".`)
  return groups.map(({ label, paths }) => ({
    label,
    entries: paths.map((path) => entryOf(byPath.get(path), path, path === DECISIONS ? decisions : [])),
  }))
}

function entryOf(rendered: Rendered | undefined, path: string, below: readonly Rendered[]): Entry {
  if (rendered === undefined) throw new Error(`The README lists ${path} as a guide, which does not exist.`)
  const { source, guide } = rendered
  return {
    name: source.name,
    title: path === README ? 'Start svc' : shortTitle(guide.title),
    lead: guide.lead,
    below: below.map((one) => entryOf(one, one.source.path, [])),
  }
}

/** `Auth: people and tokens` becomes `Auth`, and `Decisions: apps` becomes `Apps`. */
function shortTitle(title: string): string {
  const text = title.replace(/^Decisions: /, '').replace(/: .*/, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function navigation(groups: Navigation, current: string | undefined, form: SiteForm): Html {
  return html`${groups.map(
    ({ label, entries }) => html`<p>${label}</p>
<ul>${entries.map((entry) => item(entry, current, form))}</ul>
`,
  )}`
}

function item(entry: Entry, current: string | undefined, form: SiteForm): Html {
  const { name, title, below } = entry
  const isOpen = [entry, ...below].some((one) => one.name === current)
  return html`<li><a href="${form.pageAddress(name)}"${name === current && html` aria-current="page"`}>${title}</a>${
    isOpen && below.length > 0 && html`<ul class="below">${below.map((one) => item(one, current, form))}</ul>`
  }</li>
`
}
