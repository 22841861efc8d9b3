import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { ByteReader } from './byte-reader.ts'
import { EngineStopped, stopped } from './engine-stopped.ts'
import { endFormerProcess, forgetProcess, rememberProcess } from './former-process.ts'
import { residentBytes } from './process-memory.ts'
import type { Command } from './sandbox.ts'

export type EngineLimits = {
  memoryBytes: number
  /** How long a start may take: it may have to replay the journal of a killed process. */
  startMs: number
}

type Options = EngineLimits & {
  command: Command
  /** Remembers the process across a crash of ours. */
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
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #reader: ByteReader
  readonly #options: Options
  /** Resolves when the process has exited: until then it may still write to its folder. */
  readonly exited: Promise<void>
  #reason: EngineStopped | undefined
  #hasExited = false

  private constructor(options: Options) {
    const { file, args } = options.command
    this.#options = options
    this.#child = spawn(file, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#reader = new ByteReader(this.#child.stdout)
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#reason ??= stopped.notStarted(error.message)
        resolve()
      })
      this.#child.once('exit', (code, signal) => {
        this.#reason ??= stopped.crashed(signal ?? `exit code ${code}`)
        this.#hasExited = true
        forgetProcess(options.pidFile)
        resolve()
      })
    })
    this.#child.stdin.on('error', () => {})
    if (this.#child.pid !== undefined) rememberProcess(options.pidFile, this.#child.pid)
  }

  static async start(options: Options): Promise<EngineProcess> {
    await endFormerProcess(options.pidFile)
    const engine = new EngineProcess(options)
    const firstWords = engine.#keepStderr()
    try {
      await engine.#within(
        options.startMs,
        () => stopped.notStarted('it took too long'),
        () => engine.#untilReady(),
      )
      return engine
    } catch (error) {
      engine.kill()
      await engine.exited
      throw stopped.notStarted(firstWords() || String(error))
    }
  }

  /** Why the process is gone, or on its way out; undefined while it serves. */
  get reason(): EngineStopped | undefined {
    return this.#reason
  }

  /**
   * Sends whole messages, or the next part of one, and passes on the bytes the engine answers, until it wants more
   * input. The engine waits while `onBytes` does. Past `limitMs` or its memory limit the process is killed.
   */
  async exchange(bytes: Buffer, limitMs: number, onBytes: (bytes: Buffer) => Promise<void> | void): Promise<void> {
    if (this.#reason) throw this.#reason
    const stopWatching = this.#watchMemory()
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
    } finally {
      stopWatching()
    }
  }

  kill(reason: EngineStopped = stopped.closed()): void {
    this.#reason ??= reason
    if (!this.#hasExited) this.#child.kill('SIGKILL')
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
      if (type !== 'D') throw stopped.protocolViolation('an unknown frame')
      await onBytes(bytes)
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

  #watchMemory(): () => void {
    const { memoryBytes } = this.#options
    const { pid } = this.#child
    if (pid === undefined) return () => {}
    const check = async () => {
      if ((await residentBytes(pid)) > memoryBytes) this.kill(stopped.outOfMemory(memoryBytes))
    }
    const timer = setInterval(() => void check(), MEMORY_CHECK_MS)
    return () => clearInterval(timer)
  }

  /** Keeps the first words only: what an engine with a tenant's data says later is not for our log. */
  #keepStderr(): () => string {
    let text = ''
    this.#child.stderr.on('data', (bytes: Buffer) => {
      if (text.length < STDERR_BYTES) text += bytes.toString().slice(0, STDERR_BYTES - text.length)
    })
    return () => text.trim()
  }
}
