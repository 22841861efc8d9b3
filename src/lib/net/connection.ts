import type { Socket } from 'node:net'
import { type buildConnector, Client } from 'undici'

/** One connection to one origin, for one request at a time. */
export interface Connection {
  readonly client: Client
  /** Time in milliseconds before its address was vetted. */
  readonly openedAt: number
  /** True once the socket, with TLS where there is TLS, is connected. It stays true after the socket closes. */
  readonly isConnected: () => boolean
  /** False when the socket is not connected yet or when either side has closed it. */
  readonly isUsable: () => boolean
}

/** Prepares a connection. It is made with the first request. */
export function openConnection(origin: string, connector: buildConnector.connector, openedAt: number): Connection {
  let socket: Socket | undefined
  // undici connects again, unasked, to send a request that it counts as not sent. A second connection is refused, so
  // that no request is ever written twice.
  const connectOnce: buildConnector.connector = (options, callback) => {
    if (socket) return callback(new Error('the connection closed'), null)
    connector(options, (...outcome) => {
      socket = outcome[1] ?? undefined
      callback(...outcome)
    })
  }
  const client = new Client(origin, { connect: connectOnce, headersTimeout: 0, bodyTimeout: 0 })
  return {
    client,
    openedAt,
    isConnected: () => socket !== undefined,
    isUsable: () => socket !== undefined && !socket.destroyed && socket.writable && !socket.readableEnded,
  }
}
