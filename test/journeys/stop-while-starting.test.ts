import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { programEnvironment } from '#test/programs/program-environment.ts'
import { until } from '#test/until.ts'
import { bundledServer } from '../../scripts/server-bundle.ts'

/** The file that `npm start` runs. */
const MAIN = await bundledServer()

type Seen = { readonly lines: readonly string[]; readonly folder: string }
type Moment = (folder: string) => (seen: Seen) => boolean

const hasLine =
  (start: string): Moment =>
  () =>
  ({ lines }) =>
    lines.some((line) => line.startsWith(start))

/** When a file appears that was not there before the start, or at the later moment, if a former start made all of them. */
const hasNewFile =
  (pattern: string, later: Moment): Moment =>
  (folder) => {
    const former = new Set(globSync(pattern, { cwd: folder }))
    const isLater = later(folder)
    return (seen) => isLater(seen) || globSync(pattern, { cwd: folder }).some((file) => !former.has(file))
  }

const ready = hasLine('svc ready at ')
const readyWith =
  (file: string): Moment =>
  (folder) =>
  (seen) =>
    ready(folder)(seen) && existsSync(join(folder, file))
const exampleReady = readyWith('example-made')
const complete = readyWith('example-app-made')

/** In the order of a first start. Each start goes on where the one before was stopped. */
const MOMENTS: readonly (readonly [string, Moment])[] = [
  ['the data folder is locked', hasNewFile('lock.json', ready)],
  ['the database is being made', hasNewFile('db/*', ready)],
  ['the first account is made', hasNewFile('first-run.json', ready)],
  ['it is ready', ready],
  ['the engine of the example opens', hasNewFile('databases/*/*', exampleReady)],
  ['the example data source is ready', exampleReady],
  ['the example app is being built', hasNewFile('apps/*/{builds,releases}/*', complete)],
  ['the example app is started', hasNewFile('apps/*/running/*', complete)],
]

describe('OP-03 Ctrl-C while the server starts for the first time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-interrupted-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(MOMENTS)('when %s ends it in order, without a fault in its output', async (_, moment) => {
    const isReached = moment(folder)
    const child = spawn(process.execPath, [MAIN], {
      env: { ...programEnvironment, PORT: '0', SVC_DATA_DIR: folder },
      // A group of its own, all of which gets the signal, as the processes of a terminal do.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: string[] = []
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', (line) => lines.push(line))
    const closed = once(child, 'close')
    await until(() => child.exitCode !== null || isReached({ lines, folder }))
    expect(child.exitCode, lines.join('\n')).toBe(null)
    const signalledAt = performance.now()
    process.kill(-child.pid!, 'SIGINT')
    const [code, signal] = (await closed) as [number | null, string | null]
    console.log(`ended with ${code ?? signal} after ${((performance.now() - signalledAt) / 1000).toFixed(1)} s`)
    expect([0, 130, 'SIGINT'], lines.join('\n')).toContain(code ?? signal)
    expect(lines.filter(isFault)).toEqual([])
  })
})

/** Lines of the log at level error or above, stacks, and lines that say that work was cut off or has failed. */
function isFault(line: string): boolean {
  return (
    /"level":"(?:error|fatal)"|"stack":|^\s+at \S/.test(line) ||
    /did not stop cleanly|did not wait longer|could not be|cannot start/.test(line)
  )
}
