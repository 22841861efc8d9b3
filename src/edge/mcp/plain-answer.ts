import type { PlainCall } from './plain-call.ts'
import { ProtocolFault, type ToolAnswer } from './tool-answer.ts'

/** Answers a plain call with the bytes that the library would send. */
export async function answerPlainCall(
  { id, envelope }: PlainCall,
  serverInfo: string,
  call: () => Promise<ToolAnswer>,
): Promise<Response> {
  const isNewest = envelope !== undefined
  const message = await messageOf(id, isNewest ? META_BEFORE + serverInfo + META_AFTER : '', call)
  return isNewest
    ? new Response(message, { headers: { 'content-type': 'application/json' } })
    : new Response(`event: message\ndata: ${message}\n\n`, { headers: STREAM_HEADERS })
}

/** The fields that the revision of 2026-07-28 adds to every result, around the name and version of the server. */
const META_BEFORE = ',"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":'
const META_AFTER = '}'

/** Clients of earlier revisions get a stream of one event. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

async function messageOf(id: PlainCall['id'], extra: string, call: () => Promise<ToolAnswer>): Promise<string> {
  try {
    return `{"result":{${resultFields(await call())}${extra}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error
    const { code, message } = error
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
  }
}

/** Written as text, because the output is in it twice and was encoded once already. */
function resultFields({ text, isError }: ToolAnswer): string {
  const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`
  return isError ? `${content},"isError":true` : `${content},"structuredContent":${text}`
}
