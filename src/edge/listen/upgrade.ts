import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { ServiceError } from '#contract/core/errors.ts'
import { problemResponse } from '../format/problem.ts'
import { newId } from '../ids.ts'
import type { RequestInfo } from '../route/route.ts'
import { type Connection, closeAfterAnswer, endIdle, hasUnanswered, trackAnswer } from './connection.ts'

/** A connection without HTTP, and the bytes that the client has sent after its request. */
type BareConnection = { readonly socket: Socket; readonly head: Buffer }

/**
 * Handles a request to use its connection for WebSocket (RFC 6455). `takeOver` ends HTTP on the connection, which the
 * handler then owns; it is called instead of returning an answer. After an answer the connection is closed.
 */
export type AnswerUpgrade = (
  request: Request,
  info: RequestInfo,
  takeOver: () => BareConnection,
) => Promise<Response | undefined>

type Deps = {
  readonly answer: (
    request: Request,
    incoming: IncomingMessage,
    takeOver: () => BareConnection,
  ) => Promise<Response | undefined>
  readonly onFault: (error: unknown) => Response
  /** Called with a connection that is not one of HTTP any more. */
  readonly onTakenOver: (socket: Socket) => void
  readonly stalledMs: number
  readonly lingerMs: number
}

const TAKEN_OVER = Symbol('taken over')

/** Whether a request asks for WebSocket and nothing else. Node treats all others as plain requests. */
export function isWebSocketUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export function answerUpgrades(server: Server, deps: Deps): void {
  server.on('upgrade', (incoming: IncomingMessage, duplex, head) => {
    const socket = duplex as Connection
    socket.on('error', () => {})
    // Bytes written now would be read as the answer to the earlier request.
    if (hasUnanswered(socket)) return void socket.destroy()
    const outgoing = prepareAnswer(incoming, socket, deps)
    const takeOver = () => {
      outgoing.detachSocket(socket)
      socket.setTimeout(0).removeAllListeners('timeout')
      deps.onTakenOver(socket)
      return { socket, head }
    }
    const answer = async (request: Request): Promise<Response> => {
      const response = refuseVersion(incoming) ?? (await deps.answer(request, incoming, takeOver))
      // Nothing is sent if this is thrown, see `errorHandler`.
      if (!response) throw TAKEN_OVER
      return response
    }
    const errorHandler = (error: unknown) => (error === TAKEN_OVER ? undefined : deps.onFault(error))
    void getRequestListener(answer, { errorHandler, autoCleanupIncoming: false })(incoming, outgoing)
  })
}

/** Node takes a connection that is to be upgraded out of its own care: what closes it otherwise is done here. */
function prepareAnswer(incoming: IncomingMessage, socket: Connection, deps: Deps): ServerResponse {
  const outgoing = new ServerResponse(incoming)
  outgoing.shouldKeepAlive = false
  outgoing.assignSocket(socket)
  outgoing.once('finish', () => closeAfterAnswer(socket, deps.lingerMs))
  trackAnswer(socket, outgoing)
  socket.setTimeout(deps.stalledMs).on('timeout', () => endIdle(socket, deps.stalledMs))
  return outgoing
}

function refuseVersion({ httpVersion }: IncomingMessage): Response | undefined {
  if (httpVersion === '1.1') return undefined
  const detail = 'A connection can be upgraded with HTTP/1.1 only.'
  return problemResponse(new ServiceError('MALFORMED_REQUEST', detail), 'json', newId('req'))
}
