import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { endProcessTree, forgetProcess, killerOf, rememberProcess } from '#lib/processes/former-process.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import type { OnLine } from '../../deploys/target.ts'
import type { LogRate } from '../../logs/log-rate.ts'
import type { InsideMessage } from './inside.ts'
import { readLines } from './output-lines.ts'
import { DESCRIPTORS, type SandboxCommand } from './sandbox-command.ts'
import { type ProcessEnd, readStatus } from './status.ts'

type ConfinedOptions = {
  readonly command: SandboxCommand
  /** The seccomp program that bubblewrap loads. Undefined: the command runs without a sandbox. */
  readonly filter: Buffer | undefined
  /** Names the started process while it runs, and `<pidFile>.first` the first process of its sandbox. */
  readonly pidFile: string
  readonly onLine: OnLine
  /** Creates the rate of one stream of its output. */
  readonly logRate: () => LogRate
  /** Called before the process starts any other, to limit all of them. */
  readonly limit: (pid: number) => void
  /** Returns why the kernel ended one of the processes, if it did. Called when all have ended. */
  readonly findEnd: () => ProcessEnd | undefined
}

/** How long the last output of an ended process may take. */
const LAST_OUTPUT_MS = 5_000
const PATH = '/usr/local/bin:/usr/bin:/bin'

/**
 * A running `inside.ts` with the app or build below it, in a sandbox or not. In a sandbox the started process is
 * bubblewrap, and the first process of its pid namespace is a child of it.
 */
export class ConfinedProcess {
  readonly #child: ChildProcess
  readonly #options: ConfinedOptions
  readonly #exited: Promise<unknown>
  /** Resolves when our script has opened its sockets. Rejects with the reason why it could not. */
  readonly ready: Promise<void>
  /** Resolves when everything that was started is gone. */
  readonly ended: Promise<ProcessEnd>
  /** Resolves with the first process of the sandbox, as this machine counts; undefined where there is none. */
  readonly firstPid: Promise<number | undefined>
  /** Whether a connection was refused because there is no network. */
  readonly triedNetwork: () => boolean
  #killFirst: (() => void) | undefined
  /** The end that the first call of `kill` gave as its reason. */
  #killReason: ProcessEnd | undefined

  private constructor(child: ChildProcess, options: ConfinedOptions) {
    this.#child = child
    this.#options = options
    this.#exited = once(child, 'exit')
    // A message to a process that has ended is lost; `ended` reports the end.
    child.stdin!.on('error', () => {})
    const status = readStatus(descriptor(child, DESCRIPTORS.status) as Readable)
    this.triedNetwork = status.triedNetwork
    const lines = [
      readLines(child.stdout!, (line) => options.onLine({ stream: 'stdout', text: line }), options.logRate()),
      readLines(child.stderr!, (line) => options.onLine({ stream: 'stderr', text: line }), options.logRate()),
    ]
    this.firstPid = this.#readFirstPid()
    this.ready = Promise.race([status.ready, this.#exited.then(() => Promise.reject(new Error('it ended at once')))])
    // It can reject before anybody waits for it, and a rejection that nobody handles would end svc.
    this.ready.catch(() => {})
    this.ended = this.#exited.then(async () => {
      await Promise.race([Promise.all(lines), delay(LAST_OUTPUT_MS, undefined, { ref: false })])
      for (const stream of child.stdio) stream?.destroy()
      forgetProcess(options.pidFile, child.pid!)
      const first = await this.firstPid
      if (first !== undefined) forgetProcess(`${options.pidFile}.first`, first)
      // The status comes last, because the app can write it too.
      const reportedEnd = this.#killReason ?? options.findEnd() ?? status.exit()
      return reportedEnd ?? { code: null, description: 'it was killed from outside', by: 'svc' }
    })
  }

  static async start(options: ConfinedOptions): Promise<ConfinedProcess> {
    const child = startProcess(options.command.file, options.command.args, {
      cwd: '/',
      env: { PATH },
      // Standard input, output and error, then DESCRIPTORS.
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    })
    await once(child, 'spawn')
    const started = new ConfinedProcess(child, options)
    rememberProcess(options.pidFile, child.pid!)
    // The limits come before the options: bubblewrap waits for its options and our script for its first message, so
    // that nothing else runs yet.
    options.limit(child.pid!)
    writeDescriptor(child, DESCRIPTORS.filter, options.filter ?? '')
    writeDescriptor(child, DESCRIPTORS.options, options.command.options)
    return started
  }

  get pid(): number {
    return this.#child.pid!
  }

  send(message: InsideMessage): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  /** Kills everything, without waiting for its end. The first reason is the one that people read. */
  kill(reason: string, by: 'limit' | 'svc' = 'svc'): void {
    this.#killReason ??= { code: null, description: reason, by }
    void this.#kill()
  }

  async #kill(): Promise<void> {
    // When the first process of a pid namespace is killed, the kernel ends all others before bubblewrap exits, so that
    // `ended` means that everything is gone.
    await Promise.race([this.firstPid, this.#exited])
    if (this.#killFirst !== undefined) this.#killFirst()
    else if (this.#child.exitCode === null) await endProcessTree(this.pid).catch(() => this.#child.kill('SIGKILL'))
  }

  async #readFirstPid(): Promise<number | undefined> {
    if (this.#options.filter === undefined) return undefined
    const info = await text(descriptor(this.#child, DESCRIPTORS.info) as Readable).catch(() => '')
    const pid = Number(/"child-pid": (\d+)/.exec(info)?.[1])
    if (!pid) return undefined
    this.#killFirst = killerOf(pid)
    rememberProcess(`${this.#options.pidFile}.first`, pid)
    return pid
  }
}

/** Writes all that a descriptor of the process gets. */
export function writeDescriptor(child: ChildProcess, number: number, content: Buffer | string): void {
  const stream = descriptor(child, number) as Writable
  stream.on('error', () => {}).end(content)
}

function descriptor(child: ChildProcess, number: number): unknown {
  const streams: readonly unknown[] = child.stdio
  return streams[number]
}
