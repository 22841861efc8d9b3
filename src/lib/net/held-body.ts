type Source = {
  readonly next: () => Promise<{ readonly done?: boolean; readonly value?: Uint8Array | undefined }>
  readonly cancel: (reason: unknown) => void
}

/**
 * Returns the body of an answer, which ends with the reason of an abort as soon as the request is aborted. The signal of
 * a Request follows the signal it was made with only while that Request is in memory, and nothing else keeps it there
 * once the headers have arrived: without this, a garbage collection makes a stream deaf to its abort.
 */
export function holdBody(source: Source, request: Request): ReadableStream<Uint8Array> {
  let stop = () => {}
  const release = () => request.signal.removeEventListener('abort', stop)
  return new ReadableStream(
    {
      start(controller) {
        stop = () => {
          controller.error(request.signal.reason)
          source.cancel(request.signal.reason)
        }
        request.signal.addEventListener('abort', stop, { once: true })
        if (request.signal.aborted) stop()
      },
      async pull(controller) {
        const { done, value } = await source.next()
        if (request.signal.aborted) return
        if (value && !done) return controller.enqueue(value)
        release()
        controller.close()
      },
      cancel(reason) {
        release()
        source.cancel(reason)
      },
    },
    // No buffering here, because the source reads ahead already.
    { highWaterMark: 0 },
  )
}
