import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServiceError } from '#contract/core/errors.ts'
import { newId } from '../ids.ts'

/** The answers on a connection in the order of their requests: those under way, and some that have ended. */
const ANSWERS = Symbol('answers')
export type Connection = Socket & { [ANSWERS]?: readonly ServerResponse[] }

/** Remembers that this answer is under way. It needs no listener for the end, because every request would pay for it. */
export function trackAnswer(connection: Connection, outgoing: ServerResponse): void {
  connection[ANSWERS] = [...unansweredOn(connection), outgoing]
}

/** Returns the answers that are neither sent nor cut off with their connection. */
function unansweredOn(connection: Connection): readonly ServerResponse[] {
  return (connection[ANSWERS] ?? []).filter(({ closed }) => !closed)
}

/** Whether a request on the connection waits for its answer. */
export function hasUnanswered(connection: Connection): boolean {
  return unansweredOn(connection).length > 0
}

/** Calls `onEnd` after each answer that is under way now, whether it is sent or cut off. */
export function onAnswersEnd(connection: Connection, onEnd: () => void): void {
  for (const answer of unansweredOn(connection)) answer.once('close', onEnd)
}

/**
 * Ends a connection on which nothing moves: kept alive without a request, or with bytes the client does not read.
 * One whose answer is still being worked out stays: how long that may take is up to the handler.
 */
export function endIdle(socket: Connection, stalledMs: number): void {
  const isWorking = socket.writableLength === 0 && unansweredOn(socket).length > 0
  if (isWorking) socket.setTimeout(stalledMs)
  else socket.destroy()
}

/** Closes the connection after `text`. A client that neither reads nor closes cannot keep it half-open. */
function endThenDestroy(socket: Socket, lingerMs: number, text = ''): void {
  socket.end(text)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

/** Closes a connection whose last answer was sent. What the client still sends is dropped, so that it reads the answer. */
export function closeAfterAnswer(socket: Socket, lingerMs: number): void {
  endThenDestroy(socket.resume(), lingerMs)
}

/**
 * Called when the answer is ready before the whole body arrived. The rest of the body is not read, so the connection
 * must end. Closing it at once would reset it, and a client that is still sending would lose the answer, so it lingers.
 */
export function leaveBodyUnread(incoming: IncomingMessage, outgoing: ServerResponse, lingerMs: number): void {
  const { socket } = outgoing
  if (!socket || socket.destroyed) return
  outgoing.shouldKeepAlive = false
  // Marks the body as being read. Otherwise Node would read the rest of it and throw it away.
  incoming.read(0)
  socket.destroySoon = () => endThenDestroy(socket, lingerMs)
}

/**
 * Answers a request that cannot be received to its end, and closes the connection. A handler may be waiting for the
 * rest of its body; the closed connection ends that wait. Text written while an earlier request is unanswered would be
 * read as the answer to that request, so the connection is then closed without words after that answer.
 */
export function refuseConnection(socket: Connection, refusal: ServiceError | undefined, lingerMs: number): void {
  const unanswered = unansweredOn(socket)
  const earlier = unanswered.findLast(({ req }) => req.complete)
  if (earlier) earlier.once('close', () => endThenDestroy(socket, lingerMs))
  else if (!refusal || !socket.writable || unanswered.some(({ headersSent }) => headersSent)) socket.destroy()
  else endThenDestroy(socket, lingerMs, rawResponse(refusal))
}

function rawResponse(refusal: ServiceError): string {
  const problem = refusal.toProblem(newId('req'))
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n`
  return `${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}
