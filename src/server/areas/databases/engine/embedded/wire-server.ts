import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WireConnection } from './wire-connection.ts'
import type { Startup } from './wire-login.ts'
import { TooManyConnections, type WireLogin } from './wire-session.ts'

type Options = {
  find: (startup: Startup) => Promise<WireLogin | undefined>
  onError: (error: unknown) => void
  idleInTransactionMs: number
  /** The port of an earlier start, so that connection strings stay valid; another is taken when it is in use. */
  rememberedPort?: number | undefined
  onPort?: (port: number) => void
}

/** How many clients may be connected before they have logged in. One more disconnects one that has sent nothing. */
const MAX_BEFORE_LOGIN = 20
const MAX_PER_DATABASE = 20

/** Serves the Postgres protocol on loopback for all embedded databases of the process, for psql and every driver. */
export class WireServer {
  readonly #options: Options
  readonly #beforeLogin = new Map<Socket, 'silent' | 'spoken'>()
  readonly #databaseOf = new Map<Socket, string>()
  #server: Promise<Server> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Starts to listen at the first call. */
  async port(): Promise<number> {
    this.#server ??= this.#listen()
    const opening = this.#server
    opening.catch(() => {
      if (this.#server === opening) this.#server = undefined
    })
    return portOf(await opening)
  }

  /** Serves a connection from inside this process. The limits for clients of the port do not apply to it. */
  serveOwn(connection: Duplex): void {
    const { find, idleInTransactionMs } = this.#options
    const nothing = () => {}
    const own = { isOwn: true, find, onStartup: nothing, onLogin: nothing, idleInTransactionMs }
    void new WireConnection(connection, own).serve().catch(this.#options.onError)
  }

  disconnect(database: string): void {
    for (const [socket, name] of this.#databaseOf) if (name === database) socket.destroy()
  }

  async close(): Promise<void> {
    const server = await this.#server
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    for (const socket of [...this.#beforeLogin.keys(), ...this.#databaseOf.keys()]) socket.destroy()
    await closed
  }

  async #listen(): Promise<Server> {
    const { rememberedPort, onError } = this.#options
    if (rememberedPort !== undefined) {
      return this.#listenOn(rememberedPort).catch((cause: unknown) => {
        const lost =
          'connection strings given out earlier lead there, perhaps to a copy of this installation; print new ones with svc db connect'
        onError(new Error(`another program has port ${rememberedPort}: ${lost}`, { cause }))
        return this.#listenOn(0)
      })
    }
    const server = await this.#listenOn(0)
    this.#tellPort(portOf(server))
    return server
  }

  /** Stores the port. A failure is only reported: this port works, and the next start takes another. */
  #tellPort(port: number): void {
    try {
      this.#options.onPort?.(port)
    } catch (error) {
      this.#options.onError(error)
    }
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
    this.#admit(socket)
    const { find, idleInTransactionMs } = this.#options
    const onStartup = () => this.#onStartup(socket)
    const onLogin = ({ database }: Startup) => this.#moveToDatabase(socket, database)
    try {
      await new WireConnection(socket, { find, onStartup, onLogin, idleInTransactionMs }).serve()
    } finally {
      // Only now, not when the socket closes: until then it may hold a turn or wait for one.
      this.#beforeLogin.delete(socket)
      this.#databaseOf.delete(socket)
    }
  }

  #admit(socket: Socket): void {
    if (this.#beforeLogin.size >= MAX_BEFORE_LOGIN) this.#evict()
    this.#beforeLogin.set(socket, 'silent')
  }

  /**
   * Disconnects the client that has waited longest without sending anything, or else the one that has waited longest.
   */
  #evict(): void {
    const waiting = [...this.#beforeLogin].filter(([socket]) => !socket.destroyed)
    const [evicted] = waiting.find(([, state]) => state === 'silent') ?? waiting[0] ?? []
    evicted?.destroy()
    if (evicted) this.#beforeLogin.delete(evicted)
  }

  #onStartup(socket: Socket): void {
    if (this.#beforeLogin.has(socket)) this.#beforeLogin.set(socket, 'spoken')
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
