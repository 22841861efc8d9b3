import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { start } from '../help/processes.ts'

const FOLDER = join(import.meta.dirname, 'peer')

export type Speed = { perSecond: number; p50: number }
export type Measure = (concurrency: number, seconds: number) => Promise<Speed>

/** Starts BullMQ with one worker process, and a process that adds jobs and waits for their results. */
export async function startBullmq(redisUrl: string): Promise<AsyncDisposable & { measure: Measure }> {
  const how = ['--no-package-lock', '--no-save', '--ignore-scripts', '--loglevel=error', '--prefix', FOLDER]
  execFileSync('npm', ['install', ...how], { stdio: ['ignore', 'ignore', 'inherit'] })
  const stack = new AsyncDisposableStack()
  stack.use(await start(process.execPath, [join(FOLDER, 'worker.js'), redisUrl], /ready/))
  const caller = spawn(process.execPath, [join(FOLDER, 'caller.js'), redisUrl], { stdio: ['pipe', 'pipe', 'inherit'] })
  stack.defer(async () => {
    caller.stdin.end()
    if (caller.exitCode === null) await once(caller, 'exit')
  })
  const lines = createInterface({ input: caller.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    measure: async (concurrency, seconds) => {
      caller.stdin.write(`${concurrency} ${seconds}\n`)
      return JSON.parse(String((await lines.next()).value)) as Speed
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
