import { STREAM_TYPES } from '../stream/stream.ts'

/** Returns the answer to HEAD: that of GET without its content (RFC 9110 section 9.3.2). Does not wait for streams. */
export async function withoutContent(response: Response): Promise<Response> {
  const headers = new Headers(response.headers)
  if (headers.has('content-length') || isEndless(headers)) await response.body?.cancel()
  else if (response.body) headers.set('content-length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status: response.status, headers })
}

function isEndless(headers: Headers): boolean {
  const type = headers.get('content-type')
  return Object.values(STREAM_TYPES).some((endless) => type?.startsWith(endless))
}
