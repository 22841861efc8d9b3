import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { endToEnd } from './end-to-end-headers.ts'
import { holdBody } from './held-body.ts'

const WITHOUT_BODY = [204, 205, 304]

export type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & {
  readonly statusText?: string
  readonly body: Readable
}

/** Turns an answer into a Response. Destroys the body of one that cannot be passed on; its error has no other listener. */
export function passOn(answer: Answer, request: Request): Response {
  answer.body.on('error', () => {})
  try {
    return toResponse(answer, request)
  } catch (error) {
    answer.body.destroy()
    throw error
  }
}

function toResponse({ statusCode: status, statusText, headers, body }: Answer, request: Request): Response {
  if (status < 200 || status > 599) throw new Error(`the answer has status ${status}`)
  const raw = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((each) => [name, toBytes(each)]),
  )
  const passed = new Headers()
  const endToEndHeaders = endToEnd(raw)
  for (let n = 0; n < endToEndHeaders.length; n += 2) passed.append(endToEndHeaders[n]!, endToEndHeaders[n + 1]!)
  const init = { status, headers: passed, ...(statusText !== undefined && { statusText }) }
  if (!WITHOUT_BODY.includes(status)) return new Response(streamOf(body, request), init)
  body.resume()
  return new Response(null, init)
}

/** Not `Readable.toWeb`, which throws where nobody can catch it if data arrives after the reader has cancelled. */
function streamOf(body: Readable, request: Request): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return holdBody({ next: () => chunks.next(), cancel: () => void body.destroy() }, request)
}

/** A value of Headers is made of bytes, and undici reads the bytes of an answer as UTF-8. */
function toBytes(value: string): string {
  return /^[\0-\u00ff]*$/.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1')
}
