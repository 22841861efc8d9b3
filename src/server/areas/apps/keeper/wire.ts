import type { Duplex } from 'node:stream'
import { jsonOrUndefined } from '#lib/json-or-undefined.ts'
import { receiveLines } from '../door/lines.ts'

/** The longest has the variables of an app. */
const MAX_LINE_BYTES = 8 * 1024 * 1024
/** A peer that leaves this much unread hangs. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** One end of a connection between a server and the keeper: objects, one a line. */
export type Wire<Out> = {
  readonly send: (message: Out) => void
  /** False: what is sent is lost. */
  readonly isOpen: () => boolean
  /** Whether the other end reads what is sent. */
  readonly isRoomy: () => boolean
  /** Closes the connection after everything that was sent. */
  readonly end: () => void
}

type Handlers<In> = {
  readonly onMessage: (message: In) => void
  /** Called when `isRoomy` becomes true again. */
  readonly onRoomy?: () => void
  readonly onClose: () => void
}

export function openWire<In, Out>(socket: Duplex, { onMessage, onRoomy, onClose }: Handlers<In>): Wire<Out> {
  receiveLines(socket, MAX_LINE_BYTES, {
    onLine: (line) => {
      const message = jsonOrUndefined(line)
      if (message === undefined) socket.destroy()
      else onMessage(message as In)
    },
    onTooLong: () => socket.destroy(),
  })
  socket.once('close', onClose)
  socket.on('end', () => socket.destroy())
  if (onRoomy) socket.on('drain', onRoomy)
  return {
    send: (message) => {
      if (!socket.writable) return
      socket.write(`${JSON.stringify(message)}\n`)
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
    },
    isOpen: () => socket.writable,
    isRoomy: () => socket.writable && !socket.writableNeedDrain,
    end: () => void socket.end(),
  }
}
