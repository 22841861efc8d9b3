import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import { isShortRun, restartDelayMs } from '../../deploys/rules.ts'
import type { AnsweringDeploy } from '../../door/harm/suspects.ts'
import type { AppNetwork, AttachedApp } from '../../door/network.ts'
import { type ServedInstance, serveInstance } from '../../host/served-app.ts'
import type { FrozenSandbox, SandboxMachine } from '../../process/sandbox/sandbox.ts'
import { type AppOptions, adoptApp, type RunningApp, startApp } from '../../process/sandbox/sandboxes.ts'
import { HOSTED_ELSEWHERE, type ProcessEnd } from '../../process/sandbox/status.ts'
import type { FromKeeper, Stored } from '../messages.ts'
import { type FrozenLines, LineBuffer } from './line-buffer.ts'

/** A server that is connected. */
export type Server = {
  readonly send: (message: FromKeeper) => void
  readonly isRoomy: () => boolean
  readonly isOpen: () => boolean
  /** Whether it must say from time to time that no other machine hosts the app. */
  readonly renews: () => boolean
  /** For how long apps may run after the server is gone. */
  readonly holdMs: () => number
}

type Deps = {
  readonly machine: SandboxMachine
  readonly network: Pick<AppNetwork, 'attach'>
  /** Called when it has ended and is not started again. */
  readonly onEnd: (app: KeptApp) => void
}

/** An instance for the next program in this process. */
export type FrozenApp = {
  readonly options: Omit<AppOptions, 'onLine'>
  readonly token: string | undefined
  readonly lines: FrozenLines
  readonly shortRuns: number
  readonly startedAt: number
  /** When it ends unless a server comes, or renews it. */
  readonly endsAt: number
  readonly isHarmful: boolean
  /** Undefined: it waits to be started again. */
  readonly sandbox: FrozenSandbox | undefined
}

type Running = { readonly app: RunningApp; readonly attached: AttachedApp; readonly served: ServedInstance }

const ABANDONED = 'killed: no server came back to host it'
/** How long an app that a server asked to end may take after that server is gone. */
const STOP_MS = 30_000

/**
 * One instance of an app. While a server hosts it, the server decides what happens when it ends. Meanwhile it is started
 * again here, with the same delays.
 */
export class KeptApp {
  readonly options: AppOptions
  readonly answering: AnsweringDeploy
  readonly #deps: Deps
  #lines = new LineBuffer()
  #server: Server | undefined
  #running: Running | undefined
  #shortRuns = 0
  #startedAt = new Date()
  readonly #closingSockets = new AbortController()
  #isStopping = false
  /** Aborted when it is not kept any more: a start that is under way ends what it started. */
  readonly #over = new AbortController()
  #starting: Promise<void> | undefined
  #token: string | undefined
  #isHarmful = false
  #restart: NodeJS.Timeout | undefined
  #hold: NodeJS.Timeout | undefined
  #endsAt = 0
  /** How many servers wait for its requests to end. */
  #drains = 0

  constructor(options: Omit<AppOptions, 'onLine'>, deps: Deps) {
    this.options = { ...options, onLine: ({ stream, text }) => this.#addLine({ stream, text }) }
    this.answering = { deployId: options.deployId, onHarmful: () => this.#onHarmful() }
    this.#deps = deps
    this.#token = options.token
  }

  /** Goes on with an instance that the former program in this process kept. Rejects if its sandbox cannot be taken over. */
  static async restore(frozen: FrozenApp, deps: Deps): Promise<KeptApp> {
    const app = new KeptApp(frozen.options, deps)
    app.#token = frozen.token
    app.#lines = LineBuffer.restore(frozen.lines)
    app.#shortRuns = frozen.shortRuns
    app.#startedAt = new Date(frozen.startedAt)
    app.#isHarmful = frozen.isHarmful
    if (frozen.sandbox) app.#follow(await adoptApp(app.options, frozen.sandbox, deps.machine))
    else app.#startAgain('The app is started again.')
    // Only now: a hold that ran out meanwhile ends what was taken over.
    app.#endAfter(Math.max(0, frozen.endsAt - Date.now()))
    return app
  }

  /** Lets another program go on with it in this process. Undefined while that is not possible. */
  handOver(): HandedOver<FrozenApp> | undefined {
    if (this.#starting || this.#isStopping || this.#isOver || this.#drains > 0) return undefined
    const sandbox = this.#running?.app.handOver?.()
    if (this.#running && !sandbox) return undefined
    return { descriptors: sandbox?.descriptors ?? [], freeze: () => this.#freeze(sandbox?.freeze()) }
  }

  /** Undefined while it waits to be started again. */
  get served(): ServedInstance | undefined {
    return this.#running?.served
  }

  /** Returns the most memory that it was seen to use since the last call. */
  takeMemoryPeak(): number | undefined {
    return this.#running?.app.takeMemoryPeak?.()
  }

  get socket(): string | undefined {
    return this.#running?.app.socket
  }

  isHostedBy(server: Server): boolean {
    return this.#server === server
  }

  async start(server: Server): Promise<void> {
    this.#server = server
    await this.#start()
    if (this.#isOver) throw new Error('it was stopped while it started')
    this.#beginHold(server)
  }

  /** Lets a server host it. Returns false if it does not run: then it is given up. */
  async adopt(server: Server, stored: Stored | null): Promise<boolean> {
    await this.#starting?.catch(() => {})
    clearTimeout(this.#hold)
    clearTimeout(this.#restart)
    if (this.#isOver) return false
    if (this.#isStopping) {
      this.kill('killed: it did not end when asked to', 'svc')
      await this.gone()
      return false
    }
    this.#tellFormer(server)
    this.#server = server
    this.#lines.resendAfter(stored)
    this.sendLines()
    if (this.#isHarmful) server.send({ is: 'harmful', deployId: this.options.deployId })
    this.#beginHold(server)
    if (this.#running) return true
    this.#giveUp()
    return false
  }

  /** The server that hosted it would otherwise wait for its end. */
  #tellFormer(next: Server): void {
    if (this.#server === next) return
    this.#server?.send({ is: 'app_gone', deployId: this.options.deployId, end: HOSTED_ELSEWHERE })
  }

  /** Its server is gone, or hosts it no more. */
  leave(): void {
    const holdMs = this.#server?.holdMs() ?? 0
    this.#server = undefined
    this.#endAfter(this.#isStopping ? STOP_MS : holdMs)
  }

  /** Ends it unless this is called again in time: a server that hangs cannot keep another machine from hosting it. */
  renewHold(): void {
    if (this.#server) this.#endAfter(this.#server.holdMs())
  }

  stop(): void {
    this.#isStopping = true
    clearTimeout(this.#restart)
    if (this.#running) this.#running.app.stop()
    else this.#giveUp()
  }

  kill(reason: string, by: 'limit' | 'svc'): void {
    this.#isStopping = true
    clearTimeout(this.#restart)
    if (this.#running) this.#running.app.kill(reason, by)
    else this.#giveUp()
  }

  async replaceToken(token: string): Promise<void> {
    this.#token = token
    await this.#running?.app.replaceToken(token)
  }

  /** Resolves when nothing of visitors is under way any more, or when the time for it is over. */
  async drain(graceMs: number, socketsMs: number | null): Promise<void> {
    const keptSockets = socketsMs === null ? undefined : { ms: socketsMs, signal: this.#closingSockets.signal }
    this.#drains++
    try {
      await this.#running?.served.drain(graceMs, keptSockets)
    } finally {
      this.#drains--
    }
  }

  closeSockets(): void {
    this.#closingSockets.abort()
  }

  /** Resolves when it runs no more. */
  async gone(): Promise<void> {
    await this.#starting?.catch(() => {})
    await this.#running?.app.gone
  }

  ask(request: Request): Promise<Response> {
    if (!this.#running) return Promise.reject(new Error('the app has ended'))
    return this.#running.attached.fetch(request)
  }

  sendLines(): void {
    while (this.#server?.isRoomy()) {
      const line = this.#lines.next()
      if (!line) return
      this.#server.send({ is: 'app_line', deployId: this.options.deployId, line })
    }
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  #beginHold(server: Server): void {
    if (server.renews()) this.#endAfter(server.holdMs())
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#hold)
    this.#endsAt = Date.now() + ms
    this.#hold = setTimeout(() => this.kill(ABANDONED, 'svc'), ms)
  }

  /** Nothing of it runs, or will when a start that is under way has ended. */
  #giveUp(): void {
    this.#over.abort(new Error('it was stopped while it started'))
    clearTimeout(this.#hold)
    this.#deps.onEnd(this)
  }

  #start(): Promise<void> {
    this.#starting = this.#startNow().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #startNow(): Promise<void> {
    this.#startedAt = new Date()
    const app = await startApp({ ...this.options, token: this.#token }, this.#deps.machine, this.#over.signal)
    if (this.#isOver) {
      app.kill('killed: it is not hosted any more', 'svc')
      await app.gone
      return
    }
    this.#follow(app)
  }

  #follow(app: RunningApp): void {
    const address = { socket: app.socket }
    const attached = this.#deps.network.attach(address, this.answering)
    const running = { app, attached, served: serveInstance({ address, fetch: attached.fetch }) }
    this.#running = running
    void app.gone.then((end) => this.#onGone(running, end))
  }

  #freeze(sandbox: FrozenSandbox | undefined): FrozenApp {
    const { onLine: _, ...options } = this.options
    // One that a server hosts gets the time that it has after the end of a connection.
    const holdMs = this.#server && !this.#server.renews() ? this.#server.holdMs() : undefined
    return {
      options,
      token: this.#token,
      lines: this.#lines.freeze(),
      shortRuns: this.#shortRuns,
      startedAt: this.#startedAt.getTime(),
      endsAt: holdMs === undefined ? this.#endsAt : Date.now() + holdMs,
      isHarmful: this.#isHarmful,
      sandbox,
    }
  }

  async #onGone(running: Running, end: ProcessEnd): Promise<void> {
    await running.attached[Symbol.asyncDispose]()
    this.#running = undefined
    if (this.#server || this.#isStopping) {
      this.sendLines()
      this.#server?.send({ is: 'app_gone', deployId: this.options.deployId, end })
      this.#giveUp()
      return
    }
    this.#startAgain(`The app ended (${end.description}) and is started again.`)
  }

  #startAgain(text: string): void {
    this.#addLine({ stream: 'system', text })
    this.#shortRuns = isShortRun(this.#startedAt, new Date()) ? this.#shortRuns + 1 : 0
    this.#restart = setTimeout(() => {
      this.#start().catch((error: unknown) => {
        if (!this.#isOver) this.#startAgain(`The app could not be started again: ${String(error)}`)
      })
    }, restartDelayMs(this.#shortRuns))
  }

  /** Stopped at once, because its answers end the process that all apps need. */
  #onHarmful(): void {
    this.#isHarmful = true
    if (this.#server) this.#server.send({ is: 'harmful', deployId: this.options.deployId })
    else this.kill('killed: its answers end the process for requests to apps', 'svc')
  }

  #addLine(line: { stream: 'stdout' | 'stderr' | 'system'; text: string }): void {
    this.#lines.add(line, Date.now())
    this.sendLines()
  }
}
