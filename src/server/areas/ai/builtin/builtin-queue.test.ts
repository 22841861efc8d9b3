import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createBuiltin } from './builtin.ts'
import { FairLists } from './fair-lists.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-queue-'))
const worker = join(place, 'worker.mts')
// Answers when the gate in shared memory is open, and tells in which order it got the texts.
writeFileSync(
  worker,
  `import { serveWorker } from ${JSON.stringify(join(import.meta.dirname, '../../../../lib/threads/worker-serve.ts'))}
  import { workerData } from 'node:worker_threads'
  let place = 0
  serveWorker(async (message) => {
    if (message.do === 'load') return { value: undefined }
    Atomics.wait(workerData.folder, 0, 0)
    return { value: { vector: new Float32Array([place++]), tokens: 1 } }
  })`,
)
afterAll(() => rmSync(place, { recursive: true }))

const going = new AbortController().signal

function openGated(queueLimit: number) {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const model = createBuiltin({ worker, queueLimit, folder: gate as unknown as string })
  const open = () => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { model, open }
}
const order = ({ vectors }: { vectors: Float32Array[] }) => vectors.map(([position]) => position)

describe('DS-24 the queue before the model', () => {
  it('past its limit texts are refused with Retry-After, and taken again once there is room', async () => {
    const { model, open } = openGated(3)
    await using _ = model
    await model.warm()
    const first = model.embed(['in work'], going)
    const full = model.embed(['a', 'b', 'c'], going)
    await expect(model.embed(['d'], going)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 })
    open()
    expect(order(await first)).toEqual([0])
    expect(order(await full)).toEqual([1, 2, 3])
    expect(order(await model.embed(['d'], going))).toEqual([4])
  })

  it('a question waits behind one text of a long list, not behind the list', async () => {
    const { model, open } = openGated(100)
    await using _ = model
    await model.warm()
    const list = model.embed(['1', '2', '3', '4', '5'], going)
    const question = model.embed(['q'], going)
    open()
    expect(order(await question)).toEqual([2])
    expect(order(await list)).toEqual([0, 1, 3, 4, 5])
  })

  it('cancelled texts are not embedded and free their place', async () => {
    const { model, open } = openGated(3)
    await using _ = model
    await model.warm()
    const leaving = new AbortController()
    const first = model.embed(['in work'], going)
    const gone = model.embed(['a', 'b', 'c'], leaving.signal)
    leaving.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    const next = model.embed(['d', 'e', 'f'], going)
    open()
    expect(order(await first)).toEqual([0])
    expect(order(await next)).toEqual([1, 2, 3])
    await expect(model.embed(['x'], leaving.signal)).rejects.toThrow('left')
  })

  it('closing rejects all waiting calls', async () => {
    const { model } = openGated(10)
    await model.warm()
    const waiting = [model.embed(['in work'], going), model.embed(['a'], going)]
    const outcomes = Promise.allSettled(waiting)
    await model[Symbol.asyncDispose]()
    for (const { status, reason } of (await outcomes) as PromiseRejectedResult[]) {
      expect([status, reason.code]).toEqual(['rejected', 'UNAVAILABLE'])
    }
    await expect(model.embed(['late'], going)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe('turns', () => {
  it('lists take turns, and what is dropped is not counted', () => {
    const turns = new FairLists<string>()
    turns.add(['a1', 'a2', 'a3'])
    turns.add([])
    turns.add(['b1'])
    turns.add(['c1', 'c2'])
    expect(turns.size).toBe(6)
    turns.drop((item) => item === 'a2')
    expect(turns.size).toBe(5)
    const taken = Array.from({ length: 6 }, () => turns.take())
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a3', 'c2', undefined])
    expect(turns.size).toBe(0)
  })
})
