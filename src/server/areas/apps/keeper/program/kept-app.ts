import { isShortRun, restartDelayMs } from '../../deploys/rules.ts'
import type { AppNetwork, AttachedApp } from '../../door/network.ts'
import { type ServedInstance, serveInstance } from '../../host/served-app.ts'
import type { SandboxMachine } from '../../process/sandbox/sandbox.ts'
import { type AppOptions, type RunningApp, startApp } from '../../process/sandbox/sandboxes.ts'
import type { ProcessEnd } from '../../process/sandbox/status.ts'
import type { FromKeeper, Stored } from '../messages.ts'
import { LineBuffer } from './line-buffer.ts'

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
  readonly #deps: Deps
  readonly #lines = new LineBuffer()
  #server: Server | undefined
  #running: Running | undefined
  #shortRuns = 0
  #startedAt = new Date()
  readonly #closingSockets = new AbortController()
  #isStopping = false
  /** It is not kept any more: a start that is under way ends what it started. */
  #isOver = false
  #starting: Promise<void> | undefined
  #token: string | undefined
  #isHarmful = false
  #restart: NodeJS.Timeout | undefined
  #hold: NodeJS.Timeout | undefined

  constructor(options: Omit<AppOptions, 'onLine'>, deps: Deps) {
    this.options = { ...options, onLine: ({ stream, text }) => this.#addLine({ stream, text }) }
    this.#deps = deps
    this.#token = options.token
  }

  /** Undefined while it waits to be started again. */
  get served(): ServedInstance | undefined {
    return this.#running?.served
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
    this.#server = server
    this.#lines.resendAfter(stored)
    this.sendLines()
    if (this.#isHarmful) server.send({ is: 'harmful', deployId: this.options.deployId })
    this.#beginHold(server)
    if (this.#running) return true
    this.#giveUp()
    return false
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
    await this.#running?.served.drain(graceMs, keptSockets)
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

  #beginHold(server: Server): void {
    if (server.renews()) this.#endAfter(server.holdMs())
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#hold)
    this.#hold = setTimeout(() => this.kill(ABANDONED, 'svc'), ms)
  }

  /** Nothing of it runs, or will when a start that is under way has ended. */
  #giveUp(): void {
    this.#isOver = true
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
    const app = await startApp({ ...this.options, token: this.#token }, this.#deps.machine)
    if (this.#isOver) {
      app.kill('killed: it is not hosted any more', 'svc')
      await app.gone
      return
    }
    const { deployId } = this.options
    const address = { socket: app.socket }
    const attached = this.#deps.network.attach(address, { deployId, onHarmful: () => this.#onHarmful() })
    const running = { app, attached, served: serveInstance({ address, fetch: attached.fetch }) }
    this.#running = running
    void app.gone.then((end) => this.#onGone(running, end))
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
    this.#isStopping ||= this.#server === undefined
    this.#server?.send({ is: 'harmful', deployId: this.options.deployId })
    if (!this.#server) this.#running?.app.kill('killed: its answers end the process for requests to apps', 'svc')
  }

  #addLine(line: { stream: 'stdout' | 'stderr' | 'system'; text: string }): void {
    this.#lines.add(line, Date.now())
    this.sendLines()
  }
}
