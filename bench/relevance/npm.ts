import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An installed package: what its author wrote about it in three places. */
export type NpmPackage = {
  readonly name: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly readme: string
}

const FOLDER = join(import.meta.dirname, '../../node_modules')
/** As much as the product reads of a row. */
const MAX_README = 4_000
const MIN_README = 600

/** Reads the packages of `node_modules` that say enough of themselves, each description once. */
export function readNpmPackages(): NpmPackage[] {
  const files = ['*/package.json', '@*/*/package.json'].flatMap((pattern) => globSync(pattern, { cwd: FOLDER }))
  const all = files.toSorted().flatMap((file) => readPackage(join(FOLDER, file)) ?? [])
  return [...new Map(all.map((each) => [each.description, each])).values()]
}

function readPackage(file: string): NpmPackage | undefined {
  const { name, description, keywords } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const readme = join(dirname(file), 'README.md')
  const text = existsSync(readme) ? plain(readFileSync(readme, 'utf8')).slice(0, MAX_README) : ''
  if (typeof name !== 'string' || typeof description !== 'string' || description.length < 15) return undefined
  return { name, description, keywords: Array.isArray(keywords) ? keywords.map(String) : [], readme: text }
}

export function hasArticle({ readme }: NpmPackage): boolean {
  return readme.length >= MIN_README
}

/** Without badges, tags and the addresses of links. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)|<[^>]+>|^\[[^\]]+\]: .*$/gm, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
