import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import type { FromDoor } from '../messages.ts'
import { MAX_ANSWER_BYTES } from './bounds.ts'

type OwnRequest = {
  readonly id: number
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly signal: AbortSignal
}

/** Sends a request of svc itself to an app, and tells svc the status and the start of the body. */
export async function answerOwnRequest(
  { id, path, headers, signal }: OwnRequest,
  send: (request: Request) => Promise<Response>,
  tell: (message: Extract<FromDoor, { is: 'answered' | 'body' | 'unanswered' }>) => void,
): Promise<void> {
  try {
    const init = { headers: new Headers(headers.map((pair) => [...pair])), signal }
    const { status, body } = await send(new Request(`http://127.0.0.1${path}`, init))
    tell({ is: 'answered', id, status })
    tell({ is: 'body', id, ...(await startOf(body)) })
  } catch (error) {
    tell({ is: 'unanswered', id, sent: !(error instanceof SocketFetchError) || error.sent })
  }
}

async function startOf(body: ReadableStream<Uint8Array> | null): Promise<{ bytes: string; broken: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  let broken = false
  try {
    for await (const part of body ?? []) {
      parts.push(part)
      size += part.length
      if (size >= MAX_ANSWER_BYTES) break
    }
  } catch {
    broken = true
  }
  return { bytes: Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString('base64'), broken }
}
