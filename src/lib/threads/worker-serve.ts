import { parentPort } from 'node:worker_threads'

export type Served = { value: unknown; transfer?: ArrayBuffer[] }

/** Serves the messages of `startWorker` in the worker thread, one at a time, in order. */
export function serveWorker(answer: (message: never) => Promise<Served>): void {
  const port = parentPort!
  let lastAnswer = Promise.resolve()
  port.on('message', ({ id, message }: { id: number; message: never }) => {
    lastAnswer = lastAnswer.then(async () => {
      try {
        const { value, transfer } = await answer(message)
        port.postMessage({ id, value }, transfer ?? [])
      } catch (error) {
        port.postMessage({ id, error: error instanceof Error ? error : new Error(String(error)) })
      }
    })
  })
}
