import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { programEnvironment } from '../programs/program-environment.ts'
import { until } from '../until.ts'

type SlotsEvent = { event: string; id?: string; fence?: number; message?: string; now?: string }

export type SlotsProcess = AsyncDisposable & {
  readonly pid: number
  readonly events: readonly SlotsEvent[]
  /** Waits until so many events of that name were reported, and returns them. */
  seen(event: string, count?: number): Promise<SlotsEvent[]>
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Resolves with the exit code. */
  ended(): Promise<number | null>
}

/**
 * Starts a process that runs one kind of job on slots, see `slots-program.ts`. `module` exports `createKind`; `options`
 * are handed to it.
 */
export async function startSlots(
  module: string,
  url: string,
  options: Record<string, string> = {},
): Promise<SlotsProcess> {
  return startReporting('work/slots-program.ts', [module, url, JSON.stringify(options)])
}

/** Starts a program of `test/help` that reports what happens as lines of JSON, the first of them `started`. */
export async function startReporting(program: string, args: readonly string[]): Promise<SlotsProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', program), ...args], {
    env: programEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit') as Promise<[number | null]>
  const events: SlotsEvent[] = []
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line) as SlotsEvent))
  const of = (event: string) => events.filter((one) => one.event === event)
  const kill = async () => {
    child.kill('SIGKILL')
    await exit
  }
  const started: SlotsProcess = {
    pid: child.pid!,
    events,
    seen: (event, count = 1) => until(() => of(event).length >= count && of(event)),
    signal: (signal) => void child.kill(signal),
    kill,
    ended: async () => (await exit)[0],
    [Symbol.asyncDispose]: kill,
  }
  await Promise.race([started.seen('started'), exit.then(() => Promise.reject(new Error('ended before it started')))])
  return started
}
