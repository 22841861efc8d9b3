import type { z } from 'zod'
import { type CallOptions, readJson, type Sender } from './client-send.ts'
import { ServiceError } from './errors.ts'
import type { UploadOperation } from './operation.ts'

export type UploadBody = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** `totalBytes` is undefined when the size was not given. */
export type UploadProgress = { sentBytes: number; totalBytes: number | undefined }

export type UploadOptions = {
  /** Media type of the body; by default the first one that the operation takes. */
  contentType?: string
  /** Size of the body in bytes. A body that is too large is then refused before anything is sent. */
  size?: number
  /** Called each time the network has taken a piece of the body. */
  onProgress?: (progress: UploadProgress) => void
}

export type Upload = <I extends z.ZodObject, O extends z.ZodType>(
  op: UploadOperation<I, O>,
  input: z.input<I>,
  body: UploadBody,
  options?: CallOptions & UploadOptions,
) => Promise<z.output<O>>

export function uploadWith({ send, read }: Sender): Upload {
  return async (op, input, body, options = {}) => {
    const { stream, failure, release } = sendingBody(body, op.bodyLimit, options)
    const contentType = options.contentType ?? op.consumes[0]!
    try {
      const response = await send(op, input, 'application/json', { ...options, upload: { stream, contentType } })
      return read(op.output, await readJson(response))
    } catch (error) {
      throw failure() ?? error
    } finally {
      release()
    }
  }
}

/** Reads the body piece by piece as the network takes it, so that it is never held whole. */
function sendingBody(body: UploadBody, limit: number, options: UploadOptions) {
  const totalBytes = options.size ?? (body instanceof Blob ? body.size : undefined)
  if (totalBytes !== undefined && totalBytes > limit) throw tooLarge(limit)
  const source = chunksOf(body)
  let failure: unknown
  let sentBytes = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await source.next()
    if (done) {
      controller.close()
      return
    }
    sentBytes += value.byteLength
    if (sentBytes > limit) throw tooLarge(limit)
    controller.enqueue(value)
    options.onProgress?.({ sentBytes, totalBytes })
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          failure = error
          throw error
        }),
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    /** Why the body could not be read to its end. The network reports only that the request broke. */
    failure: () => failure,
    /** Ends the source of a body that is not needed any more. */
    release: () => void source.return(undefined).catch(() => {}),
  }
}

/** Not every browser can iterate a stream, so its reader is used. */
async function* chunksOf(body: UploadBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Blob) yield* chunksOf(body.stream())
  else if (!('getReader' in body)) yield* body
  else {
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
  }
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The upload is larger than the limit of ${limit} bytes.`)
}
