import { createServer, type Server, type Socket } from 'node:net'
import type { Session } from './session.ts'
import { WireConnection } from './wire-connection.ts'
import type { Startup } from './wire-login.ts'
import { cStrings, errorResponse, messagesOf, query } from './wire-messages.ts'
import type { Login } from './wire-seat.ts'

type Options = {
  find: (startup: Startup) => Promise<Login | undefined>
  onError: (error: unknown) => void
  idleInTransactionMs: number
}

const CONNECTIONS = 100

/** Speaks Postgres on loopback for all embedded databases of the process: psql and every driver can connect. */
export class WireServer {
  readonly #options: Options
  readonly #open = new Map<Socket, string>()
  #server: Promise<Server> | undefined
  #version: string | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Listens from the first time anyone wants to know where. */
  async port(): Promise<number> {
    this.#server ??= this.#listen()
    const address = (await this.#server).address()
    return typeof address === 'object' && address ? address.port : 0
  }

  /** Ends the connections to one database. */
  disconnect(database: string): void {
    for (const [socket, name] of this.#open) if (name === database) socket.destroy()
  }

  async close(): Promise<void> {
    const server = await this.#server
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    for (const socket of this.#open.keys()) socket.destroy()
    await closed
  }

  #listen(): Promise<Server> {
    const server = createServer((socket) => void this.#serve(socket).catch(this.#options.onError))
    server.on('error', this.#options.onError)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => resolve(server))
    })
  }

  async #serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true).on('error', () => socket.destroy())
    if (this.#open.size >= CONNECTIONS) {
      socket.end(errorResponse('FATAL', '53300', 'too many connections'))
      return
    }
    this.#open.set(socket, '')
    socket.on('close', () => this.#open.delete(socket))
    const find = async (startup: Startup) => {
      if (!socket.destroyed) this.#open.set(socket, startup.database)
      return this.#options.find(startup)
    }
    const { idleInTransactionMs } = this.#options
    const serverVersion = async (session: Session) => (this.#version ??= await readVersion(session))
    await new WireConnection(socket, { find, serverVersion, idleInTransactionMs }).serve()
  }
}

async function readVersion(session: Session): Promise<string> {
  const answer = await session.askAsPlatform(query('show server_version'))
  const row = messagesOf(answer).find(({ type }) => type === 'D')
  return cStrings(row!.body.subarray(6))[0]!
}
