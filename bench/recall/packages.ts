import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'

/** A package of the machine's package lists. `text` is what is embedded: the name and the one-line description. */
export type Package = {
  readonly name: string
  readonly section: string
  readonly architecture: string
  readonly text: string
  /** Tags that the maintainers of Debian gave it, such as `use::editing`. */
  readonly tags: readonly string[]
}

const MAX_LIST_BYTES = 512 * 1024 * 1024

/**
 * Reads the package lists that apt keeps on Debian and its descendants. Returns undefined where there is no apt, and an
 * empty array where there are no lists. Each description is taken once, because packages of one source often share it.
 */
export async function readPackages(): Promise<Package[] | undefined> {
  const list = await promisify(execFile)('apt-cache', ['dumpavail'], { maxBuffer: MAX_LIST_BYTES }).catch(
    () => undefined,
  )
  if (!list) return undefined
  const byDescription = new Map<string, Package>()
  for (const stanza of list.stdout.split('\n\n')) {
    const name = fieldOf(stanza, 'Package')
    const description = fieldOf(stanza, 'Description') ?? fieldOf(stanza, 'Description-en')
    if (!name || !description || byDescription.has(description)) continue
    const section = fieldOf(stanza, 'Section')?.split('/').at(-1) ?? 'none'
    const architecture = fieldOf(stanza, 'Architecture') ?? 'none'
    byDescription.set(description, {
      name,
      section,
      architecture,
      text: `${name}: ${description}`,
      tags: tagsOf(stanza),
    })
  }
  return [...byDescription.values()]
}

/** Chooses `count` packages that do not depend on the order of the lists. A larger choice contains a smaller one. */
export function choosePackages(all: readonly Package[], count: number): Package[] {
  const order = new Map(all.map((each) => [each, hash('sha256', each.text)]))
  return all.toSorted((a, b) => (order.get(a)! < order.get(b)! ? -1 : 1)).slice(0, count)
}

function fieldOf(stanza: string, name: string): string | undefined {
  const start = stanza.startsWith(`${name}: `) ? 0 : stanza.indexOf(`\n${name}: `) + 1
  if (start === 0 && !stanza.startsWith(`${name}: `)) return undefined
  const end = stanza.indexOf('\n', start)
  return stanza.slice(start + name.length + 2, end === -1 ? undefined : end).trim()
}

/** The field goes on over lines that begin with a blank. */
function tagsOf(stanza: string): string[] {
  const list = /^Tag:((?:.*\n )*.*)/m.exec(stanza)?.[1] ?? ''
  return list
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}
