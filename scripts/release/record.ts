import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { findBreaking } from './breaking.ts'
import { contractLines } from './contract-lines.ts'

/** A recorded version: digests of what people rely on. The skills have a record of their own, `skills/releases.json`. */
export type Recorded = { readonly date: string; readonly contract: string; readonly migrations: string }
export type Releases = Readonly<Record<string, Recorded>>

const root = join(import.meta.dirname, '..', '..')
export const RECORD = join(root, 'releases', 'releases.json')
/** The API of the recorded version, to which the next one is compared. */
export const CONTRACT = join(root, 'releases', 'contract.txt')

export type Current = { readonly lines: readonly string[]; readonly contract: string; readonly migrations: string }

/** Describes the API and the migrations as they are in the sources. */
export function readCurrent(): Current {
  const lines = contractLines(OPERATIONS)
  const migrations = allMigrations().map(({ area, name, checksum }) => `${area} ${name} ${checksum}`)
  return { lines, contract: digestOf(lines.join('\n')), migrations: digestOf(migrations.join('\n')) }
}

export async function readRecord(): Promise<{ readonly record: Releases; readonly lines: readonly string[] }> {
  const record = JSON.parse(await readFile(RECORD, 'utf8')) as Releases
  return { record, lines: (await readFile(CONTRACT, 'utf8')).trimEnd().split('\n') }
}

/** Returns why the version cannot be recorded with the API as it is now, or undefined. */
export function recordFault(
  version: string,
  current: Pick<Current, 'contract' | 'migrations' | 'lines'>,
  { record, lines }: { readonly record: Releases; readonly lines: readonly string[] },
  today: string,
): string | undefined {
  const recorded = record[version]
  if (recorded) {
    const isSame = recorded.contract === current.contract && recorded.migrations === current.migrations
    return isSame ? undefined : `${version} is recorded with another API or other migrations. Set a new version.`
  }
  const former = Object.keys(record).at(-1)
  const breaking = findBreaking(lines, current.lines, today)
  if (former === undefined || breaking.length === 0 || isLargeStep(former, version)) return undefined
  return `${version} breaks clients of ${former} and has to change the first number that is not 0:\n${breaking.join('\n')}`
}

/** Before 1.0.0 the second number is the one that announces breaking changes (semver, item 4). */
function isLargeStep(from: string, to: string): boolean {
  const [[a = 0, b = 0], [c = 0, d = 0]] = [from, to].map((version) => version.split('.').map(Number)) as [
    number[],
    number[],
  ]
  return c > a || (a === 0 && c === 0 && d > b)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
