/**
 * Sends a request and calls `onEnd` once: when the answer was read to its end, broke off or was cancelled by its reader,
 * or when there was no answer. A request counts as under way until then, so that a deploy does not stop the instance
 * that is still sending the answer.
 */
export async function sendAndWatch(
  send: (request: Request) => Promise<Response>,
  request: Request,
  onEnd: () => void,
): Promise<Response> {
  const end = once(onEnd)
  try {
    const response = await send(request)
    if (!response.body) {
      end()
      return response
    }
    const { status, statusText, headers } = response
    return new Response(watchBody(response.body, end), { status, statusText, headers })
  } catch (error) {
    end()
    throw error
  }
}

function watchBody(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
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
  // Nothing is read ahead, so that the answer counts as under way until its reader has seen the end.
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
