import type { Instance } from '../deploys/target.ts'

/** Requests that one instance is answering. */
export type ServedInstance = {
  readonly fetch: (request: Request) => Promise<Response>
  /** Resolves when no request is being answered any more. */
  readonly idle: () => Promise<void>
}

/** Counts the requests of an instance until their answers were read, so that a switch can let them end. */
export function serveInstance(instance: Pick<Instance, 'fetch'>): ServedInstance {
  let inFlight = 0
  let waiting: (() => void)[] = []
  const done = () => {
    inFlight--
    if (inFlight > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  return {
    fetch: async (request) => {
      inFlight++
      try {
        const response = await instance.fetch(request)
        if (!response.body) {
          done()
          return response
        }
        const { status, statusText, headers } = response
        return new Response(watched(response.body, once(done)), { status, statusText, headers })
      } catch (error) {
        done()
        throw error
      }
    },
    idle: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}

/** Passes a body on and calls back when it was read to its end, broke, or was given up by its reader. */
function watched(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      onEnd()
      controller.close()
    } catch (error) {
      onEnd()
      throw error
    }
  }
  const cancel = async (reason: unknown) => {
    onEnd()
    await reader.cancel(reason)
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}

function once(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
