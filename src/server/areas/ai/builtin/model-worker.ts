import { workerData } from 'node:worker_threads'
import { releaseMemory } from '#lib/memory/release-memory.ts'
import { type Served, serveWorker } from '#lib/threads/worker-serve.ts'
import { type Loaded, loadModel } from './load-model.ts'
import { textVector } from './text-vector.ts'

type ModelData = { folder: string }
export type ModelMessage = { do: 'load' } | { do: 'embed'; text: string }
export type Embedded = { vector: Float32Array<ArrayBuffer>; tokens: number }

let loaded: Promise<Loaded> | undefined
const load = (): Promise<Loaded> => (loaded ??= loadAndRelease((workerData as ModelData).folder))

/** The bytes of the files, 24 MB, are garbage once the model is loaded, and an idle thread would keep them. */
async function loadAndRelease(folder: string): Promise<Loaded> {
  const model = await loadModel(folder)
  releaseMemory()
  return model
}

serveWorker(async (message: ModelMessage): Promise<Served> => {
  const model = await load()
  switch (message.do) {
    case 'load':
      return { value: undefined }
    case 'embed': {
      const embedded = await embed(model, message.text)
      return { value: embedded, transfer: [embedded.vector.buffer] }
    }
    default:
      throw message satisfies never
  }
})

/** Runs one text at a time, because quantisation depends on the batch and other texts would change the vector. */
async function embed(model: Loaded, text: string): Promise<Embedded> {
  const ids = model.tokenize(text)
  const mask = ids.map(() => 1)
  return { vector: textVector(await model.run(ids, mask), mask), tokens: ids.length }
}
