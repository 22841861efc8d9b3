import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WireConnection } from './wire-connection.ts'
import type { Startup } from './wire-login.ts'
import { type Login, TooManyConnections } from './wire-seat.ts'

type Options = {
  find: (startup: Startup) => Promise<Login | undefined>
  onError: (error: unknown) => void
  idleInTransactionMs: number
  /** The port of an earlier start, so that connection strings stay valid; another is taken when it is in use. */
  rememberedPort?: number | undefined
  onPort?: (port: number) => void
}

/** Clients that have not given a password yet. One more, and the one that waits longest is disconnected. */
const MAX_BEFORE_LOGIN = 20
const MAX_PER_DATABASE = 20

/** Speaks Postgres on loopback for all embedded databases of the process: psql and every driver can connect. */
export class WireServer {
  readonly #options: Options
  readonly #beforeLogin = new Set<Socket>()
  readonly #databaseOf = new Map<Socket, string>()
  #server: Promise<Server> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts to listen at the first call. */
  async port(): Promise<number> {
    this.#server ??= this.#listen()
    return portOf(await this.#server)
  }

  /** Serves a connection from inside this process, which no cap of the port's clients concerns. */
  serveOwn(connection: Duplex): void {
    const { find, idleInTransactionMs } = this.#options
    void new WireConnection(connection, { find, onLogin: () => {}, idleInTransactionMs }).serve()
  }

  /** Ends the connections to one database. */
  disconnect(database: string): void {
    for (const [socket, name] of this.#databaseOf) if (name === database) socket.destroy()
  }

  async close(): Promise<void> {
    const server = await this.#server
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    for (const socket of [...this.#beforeLogin, ...this.#databaseOf.keys()]) socket.destroy()
    await closed
  }

  async #listen(): Promise<Server> {
    const { rememberedPort, onPort } = this.#options
    const server =
      rememberedPort === undefined
        ? await this.#listenOn(0)
        : await this.#listenOn(rememberedPort).catch((error: unknown) => {
            this.#options.onError(
              new Error(
                `port ${rememberedPort} is in use: connection strings given out earlier do not work until it is free`,
                {
                  cause: error,
                },
              ),
            )
            return this.#listenOn(0)
          })
    if (rememberedPort === undefined) onPort?.(portOf(server))
    return server
  }

  #listenOn(port: number): Promise<Server> {
    const server = createServer((socket) => void this.#serve(socket).catch(this.#options.onError))
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject).on('error', this.#options.onError)
        resolve(server)
      })
    })
  }

  async #serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true).on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#beforeLogin.delete(socket)
      this.#databaseOf.delete(socket)
    })
    this.#admit(socket)
    const { find, idleInTransactionMs } = this.#options
    const onLogin = ({ database }: Startup) => this.#moveToDatabase(socket, database)
    await new WireConnection(socket, { find, onLogin, idleInTransactionMs }).serve()
  }

  #admit(socket: Socket): void {
    const [longestWaiting] = this.#beforeLogin
    if (this.#beforeLogin.size >= MAX_BEFORE_LOGIN) longestWaiting?.destroy()
    this.#beforeLogin.add(socket)
  }

  #moveToDatabase(socket: Socket, database: string): void {
    this.#beforeLogin.delete(socket)
    const open = [...this.#databaseOf.values()].filter((name) => name === database).length
    if (open >= MAX_PER_DATABASE) {
      throw new TooManyConnections(`too many connections: a database takes ${MAX_PER_DATABASE} at once`)
    }
    if (!socket.destroyed) this.#databaseOf.set(socket, database)
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}
