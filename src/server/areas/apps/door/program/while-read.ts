/** Sends a request and calls back once: when its answer was read to the end, broke, was given up, or there was none. */
export async function whileRead(
  send: (request: Request) => Promise<Response>,
  request: Request,
  onEnd: () => void,
): Promise<Response> {
  try {
    const response = await send(request)
    if (!response.body) {
      onEnd()
      return response
    }
    const { status, statusText, headers } = response
    return new Response(watched(response.body, once(onEnd)), { status, statusText, headers })
  } catch (error) {
    onEnd()
    throw error
  }
}

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

export function once(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
