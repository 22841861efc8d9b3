import { type IncomingMessage, request as send } from 'node:http'
import type { Socket } from 'node:net'
import { passOn } from '../pass-on.ts'
import type { OpenConnection } from '../socket-fetch.ts'
import { isAccepted } from './handshake.ts'
import { HANDSHAKE_MS } from './limits.ts'

type UpgradeAnswer =
  | { readonly type: 'open'; readonly socket: Socket; readonly head: Buffer; readonly headers: Headers }
  /** The app wants no WebSocket here. */
  | { readonly type: 'answered'; readonly response: Response }

type Handshake = {
  readonly request: Request
  readonly signal: AbortSignal
  readonly key: string
  readonly open: OpenConnection
}

const MAX_HEAD_BYTES = 16 * 1024

/**
 * Asks an app for a WebSocket on a connection of its own. Rejects if the app does not answer in time, answers 101
 * without the proof that it read the key, or with the reason of the signal.
 */
export async function askUpgrade(handshake: Handshake): Promise<UpgradeAnswer> {
  const { signal } = handshake
  const answer = Promise.withResolvers<UpgradeAnswer>()
  const connection = handshake.open((error, socket) => {
    if (error) answer.reject(error)
    else sendHandshake(socket, handshake, answer)
  })
  const giveUp = (reason: unknown) => {
    answer.reject(reason)
    connection.destroy()
  }
  const timer = setTimeout(() => giveUp(new Error('the app did not answer the handshake in time')), HANDSHAKE_MS)
  const onAbort = () => giveUp(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    return await answer.promise
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function sendHandshake(socket: Socket, { request, key }: Handshake, answer: PromiseWithResolvers<UpgradeAnswer>): void {
  const { pathname, search, host } = new URL(request.url)
  const headers = [...request.headers].flat()
  const sent = send({
    method: 'GET',
    path: pathname + search,
    headers: request.headers.has('host') ? headers : [...headers, 'host', host],
    setHost: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    createConnection: () => socket,
  })
  sent.on('error', answer.reject)
  const settle = (read: () => UpgradeAnswer) => {
    try {
      answer.resolve(read())
    } catch (error) {
      answer.reject(error)
    }
  }
  sent.on('response', (incoming) => settle(() => ({ type: 'answered', response: toResponse(incoming, request) })))
  sent.on('upgrade', (incoming, _, head) =>
    settle(() => ({ type: 'open', socket, head, headers: acceptedHeaders(incoming, key) })),
  )
  sent.end()
}

function acceptedHeaders(incoming: IncomingMessage, key: string): Headers {
  const headers = headersOf(incoming)
  if (incoming.statusCode === 101 && isAccepted(headers, key)) return headers
  throw new Error('the app answered the handshake without a proof that it read it')
}

function toResponse(incoming: IncomingMessage, request: Request): Response {
  return passOn({ statusCode: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }, request)
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let n = 0; n < rawHeaders.length; n += 2) headers.append(rawHeaders[n]!, rawHeaders[n + 1]!)
  return headers
}
