import { chmod } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import pg from 'pg'
import { workerEntry } from '../bundle.ts'
import { checkWritable } from '../data-folder.ts'
import { startWorker, type WorkerHost, WorkerStopped } from '../threads/worker-host.ts'
import { isCluster, makeCluster } from './cluster.ts'
import { createDb, type Db, type Engine, newInstance } from './db.ts'
import type { EmbeddedData, EmbeddedMessage } from './embedded-worker.ts'
import { panicIn } from './panic.ts'
import { leaveTransaction } from './transaction-guard.ts'
import { WireStream } from './wire-stream.ts'

export type EmbeddedOptions = {
  /** Absent: the data is in memory and ends with the process. */
  folder?: string
  /** Archive that a new cluster starts from. Absent: the empty cluster that ships with the product. */
  archive?: string
  statementTimeoutMs?: number
  onError: (error: unknown) => void
}

/** `dump` writes an archive of the cluster, a tar file, that `archive` of another one can name. */
type EmbeddedDb = Db & { dump(to: string): Promise<void> }

/**
 * Ends an engine that hangs while it opens. Long, because after a crash it replays its log first, which a slow or busy
 * machine takes minutes for.
 */
const OPEN_LIMIT_MS = 10 * 60_000

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
  return { ...createDb(engine), dump: (to) => thread.ask({ do: 'dump', to }) }
}

/** One engine in a thread of its own. No two may have the same folder open. */
class EngineThread {
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

  /** Opens the cluster, and makes it first where there is none. */
  async start(): Promise<void> {
    const { folder, archive } = this.#options
    if (folder && !isCluster(folder)) await this.#make(folder, archive)
    // The engine makes files that everybody may read, so the folder is closed to others.
    if (folder) await chmod(folder, 0o700)
    this.#spawn()
    await this.#open()
  }

  async #make(folder: string, archive: string | undefined): Promise<void> {
    await makeCluster(folder, archive).catch(async (error: unknown) => {
      throw await this.#openFault(error)
    })
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

  async close(): Promise<void> {
    await this.ask({ do: 'close' }, 10_000).catch(this.#options.onError)
    await this.#host?.[Symbol.asyncDispose]()
    await this.#formerExited
  }

  #spawn(): WorkerHost {
    const { folder, archive } = this.#options
    const data: EmbeddedData = { ...(folder && { folder }), ...(archive && { archive }) }
    keepThreadsSmall()
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

/**
 * Keeps V8's optimising WASM compiler away from the engine. It takes four times the processor time of the statements
 * of a start and hundreds of MB, and makes ordinary statements no faster. Also lets threads that start from now on have
 * young memory of a few MB instead of what `npm start` gives the main thread (16 MB, twice): the engine and the model
 * make little that is not garbage at once. V8 has these settings for the whole process, and a heap reads its own when it
 * is made.
 */
function keepThreadsSmall(): void {
  const flags = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--max-semi-space-size=2']
  for (const flag of flags) setFlagsFromString(flag)
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
