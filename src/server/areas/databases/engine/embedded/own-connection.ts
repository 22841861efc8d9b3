import { type Duplex, duplexPair } from 'node:stream'

function self(this: Duplex): Duplex {
  return this
}

/** The methods of a socket that node-postgres calls beside reading and writing. */
const SOCKET_METHODS = { setNoDelay: self, setKeepAlive: self, ref: self, unref: self }

/**
 * A connection to the wire server from inside this process, without a port. Clients of the port cannot crowd it out.
 * The result stands in for a socket in node-postgres's `stream` option; the server's end is handed to `serve`.
 */
export function openOwnConnection(serve: (connection: Duplex) => void): Duplex {
  const [client, server] = duplexPair()
  const connect = () => {
    serve(server)
    process.nextTick(() => client.emit('connect'))
    return client
  }
  // duplexPair passes an end on, but not a destroy.
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
  server.on('error', () => {})
  return Object.assign(client, SOCKET_METHODS, { connect })
}
