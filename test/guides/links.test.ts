import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHeadingIds } from '../../src/server/areas/guides/site/heading-ids.ts'
import { resolveLink } from '../../src/server/areas/guides/site/links.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGES = globSync(['*.md', 'docs/**/*.md', 'skills/**/*.md'], { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()

it.each(PAGES)('OP-11 every link of %s leads to a file and a heading of the repository', (page) => {
  expect(deadLinks(page, readFileSync(join(ROOT, page), 'utf8'))).toEqual([])
})

it('OP-11 a dead link and a dead anchor are found', () => {
  const text = '# Top\n\n[a](docs/none.md) [b](#top) [c](#gone) [d](SECURITY.md) [e](docs/auth.md#gone) [f](docs)'
  expect(deadLinks('README.md', text)).toEqual(['docs/none.md', '#gone', 'docs/auth.md#gone'])
  expect(deadLinks('README.md', '```md\n[a](none.md)\n```\n`[b](none.md)`')).toEqual([])
})

function deadLinks(page: string, markdown: string): string[] {
  const hrefs = [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, href]) => href!)
  return hrefs.filter((href) => {
    const target = resolveLink(href, page)
    if (target.kind === 'outside') return false
    const file = join(ROOT, target.path)
    if (!existsSync(file)) return true
    if (target.id === '') return false
    const text = target.path === page ? markdown : statSync(file).isFile() ? readFileSync(file, 'utf8') : ''
    return !headingIds(text).includes(target.id)
  })
}

function headingIds(markdown: string): string[] {
  const idOf = createHeadingIds()
  return [...withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => idOf(text!))
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, '')
}

function withoutCode(markdown: string): string {
  return withoutBlocks(markdown).replace(/`[^`\n]*`/g, '')
}
