import { orAborted } from '#lib/async/race.ts'
import type { Log } from '#lib/log/log.ts'
import { messageOf } from '#lib/message-of.ts'
import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import { forgetProcess, rememberProcess } from '#lib/processes/former-process.ts'
import { adoptDoorProcess, type FrozenDoorProcess } from './door-lines.ts'
import { type DoorProcess, startDoorProcess } from './door-process.ts'
import type { FromDoor } from './messages.ts'
import { DoorEnded } from './own-requests.ts'

type DoorRunsOptions = {
  /** The file that names the process, so that it is found after this process crashed. */
  readonly pidFile: string
  /** The script of the process. Tests use one that misbehaves. */
  readonly script?: string | undefined
  /** Returns a new folder for pipes that the next program in this process can open. Undefined: there is none. */
  readonly pipesFolder?: (() => string) | undefined
  readonly log: Pick<Log, 'warn'>
  /**
   * Sets a new process to work. `listening` resolves when it has the port. Resolves when it answers, with what is done once
   * it is the current one.
   */
  readonly bringUp: (door: DoorProcess, listening: Promise<void>) => Promise<() => void>
  readonly onMessage: (message: FromDoor, door: DoorProcess) => void
  /** Called before the process is started again, which is not done while svc stops. */
  readonly onExit: (description: string) => void
}

export const RESTART_MS = [0, 50, 100, 250, 400] as const
const LONG_RUN_MS = 10_000

/** The process that answers at the port of apps: it is started when first needed, and again whenever it ends. */
export class DoorRuns {
  readonly #options: DoorRunsOptions
  #door: Promise<DoorProcess> | undefined
  #isStopping = false
  readonly #startOver = new AbortController()
  #pid: number | undefined
  #shortRuns = 0
  #current: DoorProcess | undefined

  constructor(options: DoorRunsOptions) {
    this.#options = options
  }

  /** The process, while it answers. */
  get current(): DoorProcess | undefined {
    return this.#current
  }

  get pid(): number | undefined {
    return this.#pid
  }

  /** Whether a process answers at the port, or soon will. */
  get isStarted(): boolean {
    return this.#door !== undefined
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Resolves when a process answers at the port. */
  running(): Promise<DoorProcess> {
    if (this.#isStopping) return Promise.reject(new DoorEnded('svc is stopping'))
    this.#door ??= this.#start()
    return this.#door
  }

  /** The process that is there or starting, if it does start. */
  async started(): Promise<DoorProcess | undefined> {
    return this.#door?.catch(() => undefined)
  }

  /** Goes on with a process that the former program in this process started. */
  adopt(frozen: FrozenDoorProcess): DoorProcess {
    const startedAt = performance.now()
    const door = adoptDoorProcess(frozen, {
      onMessage: this.#options.onMessage,
      onExit: (description) => {
        forgetProcess(this.#options.pidFile, door.pid)
        this.#ended(description, performance.now() - startedAt)
      },
    })
    this.#pid = door.pid
    this.#current = door
    this.#door = Promise.resolve(door)
    return door
  }

  /** Lets another program go on with the process. Undefined while that is not possible. */
  handOver(): HandedOver<FrozenDoorProcess> | undefined {
    return this.#isStopping ? undefined : this.#current?.handOver()
  }

  /** Starts no other process. One that is still starting answers nobody, so it is ended at once. */
  stop(): void {
    this.#isStopping = true
    if (!this.#current) this.#startOver.abort()
  }

  async #start(): Promise<DoorProcess> {
    const startedAt = performance.now()
    const { script, pipesFolder, pidFile, bringUp, onMessage } = this.#options
    const listening = Promise.withResolvers<void>()
    listening.promise.catch(() => {})
    let pid = 0
    let door: DoorProcess | undefined
    try {
      door = await startDoorProcess({
        script,
        pipesFolder: pipesFolder?.(),
        signal: this.#startOver.signal,
        onExit: (description) => {
          listening.reject(new DoorEnded(description))
          if (pid === 0) return
          forgetProcess(pidFile, pid)
          this.#ended(description, performance.now() - startedAt)
        },
        onMessage: (message, from) => {
          if (message.is === 'listening') listening.resolve()
          else if (message.is === 'not_listening') listening.reject(new Error(message.reason))
          else onMessage(message, from)
        },
      })
      pid = door.pid
      this.#pid = pid
      this.#remember(pid)
      const onCurrent = await bringUp(door, orAborted(listening.promise, this.#startOver.signal))
      this.#current = door
      onCurrent()
      return door
    } catch (error) {
      // A process that had begun is started again by its exit.
      door?.kill()
      if (pid === 0) this.#ended(messageOf(error), 0)
      throw error
    }
  }

  /** Without the file a process that hangs while svc is killed keeps the port. That must not keep apps from starting. */
  #remember(pid: number): void {
    try {
      rememberProcess(this.#options.pidFile, pid)
    } catch (error) {
      this.#options.log.warn({ error }, 'the file that names the process for requests to apps could not be written')
    }
  }

  #ended(description: string, ranMs: number): void {
    this.#door = undefined
    this.#current = undefined
    this.#pid = undefined
    this.#options.onExit(description)
    if (this.#isStopping) return
    this.#shortRuns = ranMs < LONG_RUN_MS ? this.#shortRuns + 1 : 0
    const restart = () => void (this.#isStopping || this.running().catch(() => {}))
    setTimeout(restart, RESTART_MS[Math.min(this.#shortRuns, RESTART_MS.length - 1)]).unref()
  }
}
