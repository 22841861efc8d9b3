import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '#test/until.ts'
import { startWorker, WorkerStopped } from './worker-host.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-worker-'))
const file = join(place, 'worker.mts')
writeFileSync(
  file,
  `import { setImmediate as turn } from 'node:timers/promises'
  import { workerData } from 'node:worker_threads'
  import { serveWorker } from ${JSON.stringify(join(import.meta.dirname, 'worker-serve.ts'))}
  let answered = 0
  serveWorker(async (message) => {
    if (message.turns) for (let left = message.turns; left > 0; left--) await turn()
    if (message.fail) throw message.fail === 'text' ? 'only text' : new RangeError(message.fail)
    if (message.exit) process.exit(message.exit)
    if (message.crash) setImmediate(() => { throw new Error(message.crash) })
    if (message.crash || message.never) await new Promise(() => {})
    if (message.spin) for (;;) Atomics.add(new Int32Array(message.spin), 0, 1)
    if (message.unsendable) return { value: () => {} }
    if (message.bytes) return { value: message.bytes, transfer: [message.bytes.buffer] }
    return { value: { message, workerData, place: answered++ } }
  })`,
)
afterAll(() => rmSync(place, { recursive: true }))
afterEach(() => {
  vi.useRealTimers()
})

const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

describe('a worker thread', () => {
  it('answers calls in order, however long each takes', async () => {
    await using host = startWorker(file, { given: 1 })
    const answers = await Promise.all([5, 3, 0, 2, 1].map((turns) => host.ask({ turns })))
    expect(answers).toEqual([
      { message: { turns: 5 }, workerData: { given: 1 }, place: 0 },
      { message: { turns: 3 }, workerData: { given: 1 }, place: 1 },
      { message: { turns: 0 }, workerData: { given: 1 }, place: 2 },
      { message: { turns: 2 }, workerData: { given: 1 }, place: 3 },
      { message: { turns: 1 }, workerData: { given: 1 }, place: 4 },
    ])
  })

  it('transfers buffers in both directions without a copy', async () => {
    await using host = startWorker(file, undefined)
    const bytes = new Uint8Array([1, 2, 3])
    expect(await host.ask({ bytes }, { transfer: [bytes.buffer] })).toEqual(new Uint8Array([1, 2, 3]))
    expect(bytes.byteLength).toBe(0)
  })

  it('answers with the error of a failed call, and continues', async () => {
    await using host = startWorker(file, undefined)
    const [error, text, unsendable, fine] = await Promise.all([
      caught(host.ask({ fail: 'too far' })),
      caught(host.ask({ fail: 'text' })),
      caught(host.ask({ unsendable: true })),
      host.ask({ n: 1 }),
    ])
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ message: 'too far' })
    expect(text).toMatchObject({ message: 'only text' })
    expect(unsendable).toBeInstanceOf(Error)
    expect(fine).toMatchObject({ message: { n: 1 } })
  })

  it('is killed at a time limit, which rejects all pending calls', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const host = startWorker(file, undefined)
    const counted = new SharedArrayBuffer(4)
    const waiting = [host.ask({ spin: counted }, { limitMs: 50 }), host.ask({}), host.ask({}, { limitMs: 60_000 })]
    await until(() => new Int32Array(counted)[0] !== 0)
    vi.advanceTimersByTime(50)
    const errors = await Promise.all(waiting.map(caught))
    const stopped = host.stopped.reason as WorkerStopped
    expect(stopped).toBeInstanceOf(WorkerStopped)
    expect(stopped.message).toBe('stopped after 50 ms, its time limit')
    expect(errors).toEqual([stopped, stopped, stopped])
    expect(await caught(host.ask({}))).toBe(stopped)
    await host.exited
    const reached = new Int32Array(counted)[0]
    expect(reached).not.toBe(0)
    await using other = startWorker(file, undefined)
    await other.ask({})
    expect(new Int32Array(counted)[0]).toBe(reached)
  })

  it('is not killed by the limit of a call that was answered or could not be sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using host = startWorker(file, undefined)
    await host.ask({}, { limitMs: 1_000 })
    expect(await caught(host.ask({ fail: 'x' }, { limitMs: 1_000 }))).toMatchObject({ message: 'x' })
    expect(await caught((async () => host.ask(() => {}, { limitMs: 1_000 }))())).toMatchObject({
      name: 'DataCloneError',
    })
    vi.advanceTimersByTime(60_000)
    expect(await host.ask({ n: 2 })).toMatchObject({ message: { n: 2 } })
  })

  it('that crashes rejects all pending calls with the cause', async () => {
    await using host = startWorker(file, undefined)
    const errors = await Promise.all([caught(host.ask({ crash: 'of its own' })), caught(host.ask({}))])
    const stopped = host.stopped.reason as WorkerStopped
    expect(stopped).toMatchObject({ name: 'WorkerStopped', cause: { message: 'of its own' } })
    expect(errors).toEqual([stopped, stopped])
    await host.exited
  })

  it('that ends rejects all pending calls with its exit code', async () => {
    await using host = startWorker(file, undefined)
    const errors = await Promise.all([caught(host.ask({ exit: 3 })), caught(host.ask({}))])
    expect(errors[0]).toMatchObject({ name: 'WorkerStopped', message: 'the worker thread ended with code 3' })
    expect(errors[1]).toBe(errors[0])
    expect(host.stopped.reason).toBe(errors[0])
  })

  it('whose script is missing rejects its calls', async () => {
    await using host = startWorker(join(place, 'missing.mts'), undefined)
    expect(await caught(host.ask({}))).toMatchObject({
      name: 'WorkerStopped',
      cause: { message: expect.stringContaining('missing.mts') },
    })
  })

  it('that is closed rejects all pending calls and ends', async () => {
    const host = startWorker(file, undefined)
    const never = caught(host.ask({ never: true }, { limitMs: 60_000 }))
    await host[Symbol.asyncDispose]()
    expect(await never).toMatchObject({ name: 'WorkerStopped', message: 'closed' })
    await host.exited
    expect(await caught(host.ask({}))).toBe(host.stopped.reason)
  })
})
