import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { orAborted } from '#lib/async/race.ts'
import { messageOf } from '#lib/message-of.ts'
import { endFormerProcess, forgetProcess, rememberProcess } from '#lib/processes/former-process.ts'
import { residentBytes } from '#lib/processes/process-memory.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { ByteReader } from './byte-reader.ts'
import { EngineStopped, stopped } from './engine-stopped.ts'
import type { Command } from './sandbox.ts'

type Options = {
  memoryBytes: number
  /** How long a start may take: it may have to replay the journal of a killed process. */
  startMs: number
  command: Command
  /** The file that names the process, so that it is found after this process crashed. */
  pidFile: string
}

const FRAME_BYTES = 64 * 1024
const MEMORY_CHECK_MS = 100
const CLOSE_MS = 10_000
const STDERR_BYTES = 2_000

/**
 * One engine in a process of its own. What it sends is not trusted: a frame that does not fit the protocol ends it, and
 * nothing is read from it faster than the receiver takes it.
 */
export class EngineProcess {
  readonly #child: EngineChild
  readonly #reader: ByteReader
  readonly #options: Options
  /** Resolves when the process has exited: until then it may still write to its folder. */
  readonly exited: Promise<void>
  readonly #watcher: NodeJS.Timeout
  readonly #killed = new AbortController()
  #reason: EngineStopped | undefined

  private constructor(child: EngineChild, options: Options) {
    this.#child = child
    this.#options = options
    this.#reader = new ByteReader(child.stdout)
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        this.#reason ??= stopped.crashed(signal ?? `exit code ${code}`)
        forgetProcess(options.pidFile, child.pid!)
        resolve()
      })
    })
    this.exited = Promise.all([ended, lastHolderGone(child)]).then(() => clearInterval(this.#watcher))
    child.stdin.on('error', () => {})
    this.#watcher = setInterval(() => void this.#checkMemory(), MEMORY_CHECK_MS)
    this.#watcher.unref()
  }

  static async start(options: Options): Promise<EngineProcess> {
    // A process of svc that was killed may leave its engine busy for a while, and two on one folder would corrupt it.
    await endFormerProcess(options.pidFile)
    const engine = new EngineProcess(await spawnChild(options), options)
    const firstWords = engine.#keepStderr()
    try {
      rememberProcess(options.pidFile, engine.#child.pid!)
      await engine.#within(
        options.startMs,
        () => stopped.notStarted('it took too long'),
        () => engine.#untilReady(),
      )
      // Later output is not logged, because it can contain data of the tenant.
      engine.#child.stderr.destroy()
      return engine
    } catch (error) {
      engine.kill()
      await engine.exited
      throw stopped.notStarted(firstWords() || messageOf(error))
    }
  }

  /** Why the process ended or is ending. Undefined while it serves. */
  get reason(): EngineStopped | undefined {
    return this.#reason
  }

  /**
   * Sends whole messages, or the next part of one, and passes on the bytes the engine answers, until it wants more
   * input. The engine waits while `onBytes` does. Past `limitMs` or its memory limit the process is killed.
   */
  async exchange(bytes: Buffer, limitMs: number, onBytes: (bytes: Buffer) => Promise<void> | void): Promise<void> {
    if (this.#reason) throw this.#reason
    try {
      await this.#within(
        limitMs,
        () => stopped.statementTimeout(limitMs),
        async () => {
          const head = Buffer.alloc(4)
          head.writeUInt32BE(bytes.length)
          this.#child.stdin.write(head)
          this.#child.stdin.write(bytes)
          await this.#answer(onBytes)
        },
      )
    } catch (error) {
      this.kill(error instanceof EngineStopped ? error : undefined)
      throw this.#reason ?? error
    }
  }

  kill(reason: EngineStopped = stopped.closed()): void {
    this.#reason ??= reason
    this.#child.kill('SIGKILL')
    this.#killed.abort(this.#reason)
    // A receiver that waits for bytes must not wait for ever: with the pipe gone its next read ends.
    this.#child.stdout.destroy()
  }

  /** Lets the engine write its checkpoint and end, so that the next start has no journal to replay. */
  async close(): Promise<void> {
    this.#reason ??= stopped.closed()
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_MS)
    await this.exited.finally(() => clearTimeout(timer))
  }

  async #untilReady(): Promise<void> {
    const { type } = await this.#frame()
    if (type !== 'R') throw stopped.protocolViolation('no greeting')
    await this.#answer(() => {})
  }

  async #answer(onBytes: (bytes: Buffer) => Promise<void> | void): Promise<void> {
    for (;;) {
      const { type, bytes } = await this.#frame()
      if (type === 'I') return
      if (type !== 'D' || bytes.length === 0) throw stopped.protocolViolation('an unknown frame')
      // A receiver that waits for its client must not keep an engine that was killed meanwhile.
      const taken = onBytes(bytes)
      if (taken) await orAborted(taken, this.#killed.signal)
    }
  }

  async #frame(): Promise<{ type: string; bytes: Buffer }> {
    const head = await this.#take(5)
    const length = head.readUInt32BE(1)
    if (length > FRAME_BYTES) throw stopped.protocolViolation('a frame that is too long')
    return { type: String.fromCharCode(head[0]!), bytes: await this.#take(length) }
  }

  async #take(length: number): Promise<Buffer> {
    const bytes = await this.#reader.take(length).catch(() => undefined)
    if (bytes) return bytes
    if (!this.#reason) await this.exited
    throw this.#reason ?? stopped.crashed('no reason given')
  }

  async #within<T>(limitMs: number, reason: () => EngineStopped, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.kill(reason()), limitMs)
    return work().finally(() => clearTimeout(timer))
  }

  async #checkMemory(): Promise<void> {
    const { memoryBytes } = this.#options
    if ((await residentBytes(this.#child.pid!)) > memoryBytes) this.kill(stopped.outOfMemory(memoryBytes))
  }

  /** Keeps the first output of the process, to report it if the engine does not start. */
  #keepStderr(): () => string {
    let text = ''
    this.#child.stderr.on('data', (bytes: Buffer) => {
      if (text.length < STDERR_BYTES) text += bytes.toString().slice(0, STDERR_BYTES - text.length)
    })
    return () => text.trim()
  }
}

type EngineChild = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }

/** Rejects when the process cannot be started, for want of file descriptors for example. */
async function spawnChild({ command: { file, args } }: Options): Promise<EngineChild> {
  try {
    const child = startProcess(file, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
    await once(child, 'spawn')
    return child as EngineChild
  } catch (error) {
    throw stopped.notStarted(messageOf(error))
  }
}

/**
 * Resolves when no process holds the fourth descriptor any more. Nobody writes to it. The process we started may be
 * bubblewrap, which ends a moment before the engine inside is gone.
 */
async function lastHolderGone(child: EngineChild): Promise<void> {
  const channel = child.stdio[3] as Readable
  channel.on('error', () => {}).on('data', () => child.kill('SIGKILL'))
  await once(channel, 'close')
}
