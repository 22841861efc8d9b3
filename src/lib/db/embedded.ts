import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { workerEntry } from '../bundle.ts'
import { checkWritable } from '../data-folder.ts'
import { startWorker, type WorkerHost, WorkerStopped } from '../threads/worker-host.ts'
import { createDb, type Db, type Engine, newInstance } from './db.ts'
import type { EmbeddedData, EmbeddedMessage } from './embedded-worker.ts'
import { panicIn } from './panic.ts'
import { leaveTransaction } from './transaction-guard.ts'
import { WireStream } from './wire-stream.ts'

export type EmbeddedOptions = {
  /** Absent: the data is in memory and ends with the process. */
  folder?: string
  /** Archive of an empty cluster. It is made when absent, and a new folder starts from it. */
  archive?: string
  statementTimeoutMs?: number
  onError: (error: unknown) => void
}

type EmbeddedDb = Db & { dump(to: string, compression: 'none' | 'gzip'): Promise<void> }

const OPEN_LIMIT_MS = 60_000

/**
 * Postgres as a library, in a thread of its own, behind the ordinary driver. It has one session, so the pool has
 * one client; it cannot cancel a statement, so the thread of one that runs too long is killed and started again.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDb> {
  const thread = new EngineThread(options)
  // The pool waits for the returned promise before it hands the client out.
  const onConnect = (client: pg.ClientBase): unknown => listening.attach(client)
  const pool = new pg.Pool({
    max: 1,
    stream: () => new WireStream(thread.wire()),
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    onConnect,
  })
  pool.on('error', options.onError)
  const listening = createListening(pool)
  const engine: Engine = {
    name: 'embedded',
    instance: newInstance(),
    pool,
    limitStatements: async (_client, timeoutMs) => thread.limit(timeoutMs),
    listen: listening.listen,
    close: async () => {
      await pool.end()
      await thread.close()
    },
  }
  await thread.start()
  return { ...createDb(engine), dump: (to, compression) => thread.ask({ do: 'dump', to, compression }) }
}

/** One engine in a thread of its own. No two may have the same folder open. */
export class EngineThread {
  readonly #options: EmbeddedOptions
  #host: WorkerHost | undefined
  /** Resolves when the former thread has ended. The first message to the next thread waits for it. */
  #formerExited: Promise<void> | undefined
  #limitMs: number

  constructor(options: EmbeddedOptions) {
    this.#options = options
    this.#limitMs = this.#defaultLimit
  }

  get #defaultLimit(): number {
    return this.#options.statementTimeoutMs ?? 30_000
  }

  /** Opens the cluster, makes it where there is none, and stores an empty copy as the archive. */
  async start(): Promise<void> {
    const { folder, archive } = this.#options
    const isNew = this.#isNew
    if (folder && isNew) await this.make()
    // The engine makes files that everybody may read, so the folder is closed to others.
    if (folder) await chmod(folder, 0o700)
    this.#spawn()
    await this.#open()
    if (isNew && archive && !existsSync(archive)) {
      await this.ask({ do: 'dump', to: archive, compression: 'gzip' }, OPEN_LIMIT_MS)
    }
  }

  /**
   * Makes the cluster and closes it again. It works under another name and renames at the end, so that a killed process
   * leaves no half cluster behind.
   */
  async make(): Promise<void> {
    const { folder } = this.#options
    if (!folder) return
    const part = `${folder}.part`
    await rm(part, { recursive: true, force: true })
    await mkdir(dirname(folder), { recursive: true })
    this.#spawn(part)
    await this.#open()
    await this.close()
    await rename(part, folder)
  }

  wire() {
    const host = this.#host ?? this.#spawn()
    return {
      stopped: host.stopped,
      open: async () => {
        await this.#formerExited
        this.limit(undefined)
        const reset: EmbeddedMessage = { do: 'reset' }
        const opened = host.ask<void>(reset, { limitMs: OPEN_LIMIT_MS }).catch(async (error: unknown) => {
          throw await this.#openFault(error)
        })
        await this.#orReplace(host, opened)
      },
      send: async (bytes: Uint8Array<ArrayBuffer>) => {
        const message: EmbeddedMessage = { do: 'wire', bytes }
        const options = { limitMs: this.#limitMs, transfer: [bytes.buffer] }
        const answer = host.ask<Uint8Array>(message, options).then((answered) => {
          const panic = panicIn(answered)
          if (panic) throw panic
          return answered
        })
        return this.#orReplace(host, answer)
      },
    }
  }

  /** Gives up an engine that throws, for example after a full disk. The next call starts another. */
  async #orReplace<T>(host: WorkerHost, answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (this.#host === host) {
        this.#host = undefined
        this.#formerExited = host.exited
      }
      // Later, so that the connection ends with this error and not with that of the stopped thread.
      setImmediate(() => void host[Symbol.asyncDispose]())
      throw error
    }
  }

  limit(timeoutMs: number | undefined): void {
    this.#limitMs = timeoutMs ?? this.#defaultLimit
  }

  async #open(): Promise<void> {
    await this.ask({ do: 'open' }, OPEN_LIMIT_MS).catch(async (error: unknown) => {
      throw await this.#openFault(error)
    })
  }

  /** The engine gives no reason when it cannot start. A disk that refuses writes is the usual one, so it is checked. */
  async #openFault(error: unknown): Promise<unknown> {
    const { folder } = this.#options
    const isWritable = folder === undefined ? Promise.resolve() : checkWritable(folder)
    return isWritable.then(
      () => new WorkerStopped('the embedded database could not be opened', { cause: error }),
      (fault: unknown) => fault,
    )
  }

  async ask(message: EmbeddedMessage, limitMs?: number): Promise<void> {
    await this.#host?.ask(message, limitMs === undefined ? {} : { limitMs })
  }

  /** Ends a thread that does not answer. The next `wire` starts another. */
  async kill(): Promise<void> {
    await this.#host?.[Symbol.asyncDispose]()
  }

  async close(): Promise<void> {
    await this.ask({ do: 'close' }, 10_000).catch(this.#options.onError)
    await this.#host?.[Symbol.asyncDispose]()
    await this.#formerExited
  }

  /** True when there is no cluster yet; in memory that is so whenever a thread starts. */
  get #isNew(): boolean {
    const { folder } = this.#options
    return !folder || !existsSync(join(folder, 'PG_VERSION'))
  }

  #spawn(folder = this.#options.folder): WorkerHost {
    const { archive } = this.#options
    const from = this.#isNew && archive && existsSync(archive) ? archive : undefined
    const data: EmbeddedData = { ...(folder && { folder }), ...(from && { archive: from }) }
    const host = startWorker(workerEntry('src/lib/db/embedded-worker.ts'), data)
    this.#host = host
    void host.stopped.then(() => {
      if (this.#host !== host) return
      this.#host = undefined
      this.#formerExited = host.exited
    })
    return host
  }
}

/** LISTEN on the only client. After a restart of the thread it listens again and calls every listener once. */
function createListening(pool: pg.Pool) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let connectedBefore = false
  const tell = (channel: string, payload: string) => {
    for (const onNotify of channels.get(channel) ?? []) leaveTransaction(() => onNotify(payload))
  }
  const attach = async (client: pg.ClientBase) => {
    client.on('notification', (message) => tell(message.channel, message.payload ?? ''))
    for (const channel of channels.keys()) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    if (connectedBefore) for (const channel of channels.keys()) setImmediate(() => tell(channel, ''))
    connectedBefore = true
  }
  const listen: Db['listen'] = async (channel, onNotify) => {
    const listeners = channels.get(channel) ?? new Set()
    channels.set(channel, listeners.add(onNotify))
    await pool.query(`listen ${pg.escapeIdentifier(channel)}`)
    return {
      [Symbol.asyncDispose]: async () => {
        if (!listeners.delete(onNotify)) return
        if (listeners.size === 0 && channels.delete(channel) && !pool.ending) {
          await pool.query(`unlisten ${pg.escapeIdentifier(channel)}`)
        }
      },
    }
  }
  return { attach, listen }
}
