import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

type Call = { id: number; method: string; value: unknown }
type Reply = { id: number; result?: unknown; error?: string }

/** The memory flag of `npm start`. */
const MEMORY = '--max-semi-space-size=16'

/** A program of this folder in a process of its own. */
export type Child = AsyncDisposable & { pid: number; call: <T>(method: string, value?: unknown) => Promise<T> }

export async function startChild(program: string, args: readonly string[] = []): Promise<Child> {
  const child = fork(join(import.meta.dirname, program), args, {
    execArgv: [MEMORY],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  child.on('message', ({ id, result, error }: Reply) => {
    const done = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) done?.resolve(result)
    else done?.reject(new Error(`${program}: ${error}`))
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${code}`))
  })
  const call = <T>(method: string, value?: unknown): Promise<T> => {
    const done = Promise.withResolvers<unknown>()
    calls += 1
    waiting.set(calls, done)
    child.send({ id: calls, method, value })
    return done.promise as Promise<T>
  }
  await call('ready')
  return { pid: child.pid!, call, [Symbol.asyncDispose]: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Answers the calls of the process that started this one. */
export function serveCalls(methods: Record<string, (value: never) => unknown>): void {
  const answer = async ({ id, method, value }: Call): Promise<Reply> => {
    try {
      return { id, result: method === 'ready' ? undefined : await methods[method]!(value as never) }
    } catch (error) {
      return { id, error: String(error) }
    }
  }
  process.on('message', (call: Call) => void answer(call).then((reply) => process.send!(reply)))
  process.on('disconnect', () => process.exit())
}
