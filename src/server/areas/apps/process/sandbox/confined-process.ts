import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { endProcessTree, forgetProcess, identityOf, killerOf, rememberProcess } from '#lib/processes/former-process.ts'
import type { OnLine } from '../../deploys/target.ts'
import type { LogRate } from '../../logs/log-rate.ts'
import type { InsideMessage } from './inside.ts'
import { followLines, type LineReading } from './output-lines.ts'
import { adoptConfined, type ProcessRecord, type StartedProcess, startConfined } from './started-process.ts'
import { type ProcessEnd, readStatus } from './status.ts'

type ConfinedOptions = {
  /** Names the started process while it runs, and `<pidFile>.first` the first process of its sandbox. */
  readonly pidFile: string
  readonly onLine: OnLine
  /** Creates the rate of one stream of its output. */
  readonly logRate: () => LogRate
  /** Returns why the kernel ended one of the processes, if it did. Called when all have ended. */
  readonly findEnd: () => ProcessEnd | undefined
}

/** A process for the next program in this process, with the bytes that were read and not handed on, in base64. */
export type FrozenProcess = ProcessRecord & {
  readonly rests: Readonly<Record<'stdout' | 'stderr' | 'status', string>>
}

/** How long the last output of an ended process may take. */
const LAST_OUTPUT_MS = 5_000

/**
 * A running `inside.ts` with the app or build below it, in a sandbox or not. In a sandbox the started process is
 * bubblewrap, and the first process of its pid namespace is a child of it.
 */
export class ConfinedProcess {
  readonly #process: StartedProcess
  readonly #options: ConfinedOptions
  readonly #status: ReturnType<typeof readStatus>
  readonly #lines: readonly [LineReading, LineReading]
  /** Resolves when our script has opened its sockets. Rejects with the reason why it could not. */
  readonly ready: Promise<void>
  /** Resolves when everything that was started is gone. */
  readonly ended: Promise<ProcessEnd>
  /** Resolves with the first process of the sandbox, as this machine counts; undefined where there is none. */
  readonly firstPid: Promise<number | undefined>
  /** The identity of that process. */
  #first: string | undefined
  #killFirst: (() => void) | undefined
  /** The end that the first call of `kill` gave as its reason. */
  #killReason: ProcessEnd | undefined

  private constructor(process: StartedProcess, options: ConfinedOptions, rests?: FrozenProcess['rests']) {
    this.#process = process
    this.#options = options
    const { stdin, output, exited } = process
    // A message to a process that has ended is lost; `ended` reports the end.
    stdin.on('error', () => {})
    this.#status = readStatus(output.status, restOf(rests?.status))
    const follow = (stream: 'stdout' | 'stderr') => {
      const onLine = (text: string) => options.onLine({ stream, text })
      return followLines(output[stream], { onLine, rate: options.logRate(), rest: restOf(rests?.[stream]) })
    }
    this.#lines = [follow('stdout'), follow('stderr')]
    this.firstPid = this.#rememberFirst()
    this.ready = Promise.race([this.#status.ready, exited.then(() => Promise.reject(new Error('it ended at once')))])
    // It can reject before anybody waits for it, and a rejection that nobody handles would end svc.
    this.ready.catch(() => {})
    this.ended = exited.then(() => this.#clean())
  }

  static async start(options: ConfinedOptions & Parameters<typeof startConfined>[0]): Promise<ConfinedProcess> {
    const limit = (pid: number) => {
      rememberProcess(options.pidFile, pid)
      options.limit(pid)
    }
    try {
      return new ConfinedProcess(await startConfined({ ...options, limit }), options)
    } catch (error) {
      rmSync(options.pidFile, { force: true })
      throw error
    }
  }

  /** Takes over a process that the former program in this process started and `freeze` described. */
  static adopt(frozen: FrozenProcess, options: ConfinedOptions): ConfinedProcess {
    return new ConfinedProcess(adoptConfined(frozen), options, frozen.rests)
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Whether a connection was refused because there is no network. */
  triedNetwork(): boolean {
    return this.#status.triedNetwork()
  }

  /** The descriptors that must stay open while this process becomes another program. Undefined: `freeze` cannot be called. */
  get descriptors(): readonly number[] | undefined {
    const { pipes } = this.#process
    return pipes?.isFlushed && !this.isEnding ? pipes.descriptors : undefined
  }

  /** Whether it has ended, or will at once. An app that only says that it ends cannot keep this true for long. */
  get isEnding(): boolean {
    return this.#killReason !== undefined || this.#status.isEnding() || this.#process.hasExited()
  }

  /** Describes it for the next program in this process. */
  freeze(): FrozenProcess {
    const { identity, pipes } = this.#process
    if (!pipes) throw new Error('its pipes end with this program')
    const [stdout, stderr] = this.#lines.map((lines) => lines.rest().toString('base64')) as [string, string]
    const status = this.#status.rest().toString('base64')
    return { identity, first: this.#first, pipes: pipes.folder, rests: { stdout, stderr, status } }
  }

  send(message: InsideMessage): void {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Kills everything, without waiting for its end. The first reason is the one that people read. */
  kill(reason: string, by: 'limit' | 'svc' = 'svc'): void {
    this.#killReason ??= { code: null, description: reason, by }
    void this.#kill()
  }

  async #kill(): Promise<void> {
    // When the first process of a pid namespace is killed, the kernel ends all others before bubblewrap exits, so that
    // `ended` means that everything is gone.
    await Promise.race([this.firstPid, this.#process.exited])
    if (this.#killFirst !== undefined) this.#killFirst()
    else if (!this.#process.hasExited()) await endProcessTree(this.pid).catch(killerOf(this.pid))
  }

  async #rememberFirst(): Promise<number | undefined> {
    const pid = await this.#process.firstPid
    if (pid === undefined) return undefined
    this.#first = identityOf(pid)
    this.#killFirst = killerOf(pid)
    try {
      rememberProcess(`${this.#options.pidFile}.first`, pid)
    } catch {
      // A full disk must not keep it from being killed. It is below the process of the other file, which was written.
    }
    return pid
  }

  async #clean(): Promise<ProcessEnd> {
    const { pidFile, findEnd } = this.#options
    const lines = Promise.all(this.#lines.map(({ ended }) => ended))
    await Promise.race([lines, delay(LAST_OUTPUT_MS, undefined, { ref: false })])
    this.#process.close()
    forgetProcess(pidFile, this.pid)
    const first = await this.firstPid
    if (first !== undefined) forgetProcess(`${pidFile}.first`, first)
    // The status comes last, because the app can write it too.
    const reportedEnd = this.#killReason ?? findEnd() ?? this.#status.exit()
    return reportedEnd ?? { code: null, description: 'it was killed from outside', by: 'svc' }
  }
}

function restOf(base64: string | undefined): Buffer | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
}
