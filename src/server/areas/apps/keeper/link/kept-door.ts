import type { Listener } from '#edge/listen/listen.ts'
import type { Log } from '#lib/log/log.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import type { AppRequest } from '#ports/apps.ts'
import type { AppSums } from '../../counts/app-counts.ts'
import type { Door } from '../../door/door.ts'
import type { AnsweringDeploy } from '../../door/harm/suspects.ts'
import type { AppAddress, NoRoute } from '../../door/messages.ts'
import type { AttachedApp } from '../../door/network.ts'
import { OwnRequests } from '../../door/own-requests.ts'
import { openAppPort } from '../../door/program/app-port.ts'
import type { FoundApp } from '../../door/routed-requests.ts'
import type { SocketSeries } from '../../door/socket-series.ts'
import type { CountedApps, DoorOptions, Order } from '../messages.ts'
import { claimSettings } from './claim-settings.ts'
import { type KeeperEvent, KeeperLink } from './keeper-link.ts'
import { RemoteSandboxes } from './remote-sandboxes.ts'

type KeptDoorOptions = {
  readonly settings: DoorOptions
  readonly series: SocketSeries
  readonly dataDir: string
  readonly log: Pick<Log, 'warn' | 'error'>
  /** For how long apps may run after this server is gone. */
  readonly holdMs: number
  /** Whether other machines may host them, so that each server must renew that they are here. */
  readonly renewsHold: boolean
  /** Whether apps go on when this server stops, because another one follows. */
  readonly leavesApps: () => boolean
  /** For how long a keeper with another protocol is asked to become the program of this release. */
  readonly upgradeMs?: number
}

const RECONNECT_MS = 50
/** Exit code of a server that a person interrupts, and that ends without the order of a stop. */
const INTERRUPTED = 130

/**
 * The port of apps where the keeper runs them. Until the first app is there, this process answers at the port itself,
 * with pages that say so. Then the keeper does, also while no server runs.
 */
export class KeptDoor implements Door {
  readonly #options: KeptDoorOptions
  readonly #claim: Disposable
  readonly #link: KeeperLink
  readonly #requests = new OwnRequests()
  readonly #harmful = new Map<string, () => void>()
  readonly sandboxes: RemoteSandboxes
  /** Ends the count of each open WebSocket, by label. */
  readonly #sockets = new Map<string, (() => void)[]>()
  #placeholder: Listener | undefined
  #foundKeeper = false
  #port = 0
  #isStopping = false
  #find: (label: string) => Promise<FoundApp> = async () => ({ to: { type: 'failed' } })

  private constructor(options: KeptDoorOptions, claim: Disposable) {
    this.#options = options
    this.#claim = claim
    this.#link = new KeeperLink({
      ...options,
      onConnect: (order) => this.#openAtKeeper(order),
      onEvent: (event) => this.#receive(event),
      onLost: (goesOn) => this.#onLost(goesOn),
      lookUp: (label) => this.#whyNot(label),
    })
    process.on('exit', this.#onExit)
    this.sandboxes = new RemoteSandboxes(this.#link, () => this.#leaves())
  }

  /** Takes the port, unless the keeper has it. Throws if it is in use, or if another server has other settings of it. */
  static async open(options: KeptDoorOptions): Promise<KeptDoor> {
    const claim = await claimSettings(options.dataDir, options.settings)
    try {
      const door = new KeptDoor(options, claim)
      door.#foundKeeper = await door.#link.connectIfRunning()
      if (!door.#foundKeeper) await door.#openPlaceholder()
      return door
    } catch (error) {
      claim[Symbol.dispose]()
      throw error
    }
  }

  get port(): number {
    return this.#port
  }

  /** Whether a keeper ran before this server, with apps that may have gone on. */
  get foundKeeper(): boolean {
    return this.#foundKeeper
  }

  serve(find: (label: string) => Promise<FoundApp>): void {
    this.#find = find
  }

  async takeCounts(): Promise<readonly AppSums[]> {
    const answer = (await this.#link.orderIfRunning({ do: 'take_counts' }).catch(() => undefined)) as
      | Partial<CountedApps>
      | undefined
    return answer?.sums ?? []
  }

  /** The keeper starts the process behind the port when an app needs it. */
  async start(): Promise<void> {}

  attach(address: AppAddress, deploy?: AnsweringDeploy): AttachedApp {
    if (deploy) this.#harmful.set(deploy.deployId, deploy.onHarmful)
    return {
      fetch: (request) => this.#ask(address, request),
      [Symbol.asyncDispose]: async () => {
        if (deploy && this.#harmful.get(deploy.deployId) === deploy.onHarmful) this.#harmful.delete(deploy.deployId)
      },
    }
  }

  async openProxy(): Promise<never> {
    throw new Error('the keeper opens the way out of apps')
  }

  drain(): void {
    this.#placeholder?.drain()
    if (!this.#leaves()) this.#link.tell({ do: 'drain' })
  }

  async closePort(): Promise<void> {
    this.#isStopping = true
    await this.#placeholder?.[Symbol.asyncDispose]()
    if (!this.#leaves()) await this.#link.orderIfRunning({ do: 'close_port' }).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#placeholder?.[Symbol.asyncDispose]()
    // Its answer may not arrive any more.
    if (!this.#leaves()) await this.#link.orderIfRunning({ do: 'shut_down' }).catch(() => {})
    this.#link.close()
    this.#claim[Symbol.dispose]()
    process.off('exit', this.#onExit)
  }

  /** Ctrl-C ends everything, also when a second one does not wait for the stop. */
  readonly #onExit = (code: number) => {
    const { pid } = this.#link
    if (code !== INTERRUPTED || pid === undefined || this.#leaves()) return
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      // It has ended.
    }
  }

  /** A keeper that somebody started as a service of its own goes on with its apps. */
  #leaves(): boolean {
    return this.#link.startedBy === 'operator' || this.#options.leavesApps()
  }

  async #openPlaceholder(): Promise<void> {
    const { settings, log } = this.#options
    const find = async ({ label }: AppRequest) => this.#whyNot(label)
    // No app answers at this port, so no handshake is ever made with the key.
    this.#placeholder = await openAppPort(
      { ...settings, socketKey: '' },
      {
        find,
        findSocket: find,
        onFault: () => {},
        onError: (error) => log.error({ error }, 'the port of apps failed'),
      },
    )
    this.#port = this.#placeholder.port
  }

  async #openAtKeeper(order: (order: Order) => Promise<unknown>): Promise<void> {
    const { settings } = this.#options
    // The port is free as soon as this is called; what is being answered here goes on.
    void this.#placeholder?.[Symbol.asyncDispose]()
    this.#placeholder = undefined
    const port = settings.port === 0 ? this.#port : settings.port
    this.#port = (await order({ do: 'open_door', settings: { ...settings, port } })) as number
  }

  async #whyNot(label: string): Promise<NoRoute> {
    const { to } = await this.#find(label)
    return to.type === 'app' || to.type === 'worker' ? { type: 'not_running', isStarting: to.type === 'app' } : to
  }

  #receive(event: KeeperEvent): void {
    switch (event.is) {
      case 'answered':
      case 'body':
      case 'unanswered':
        this.#requests.receive(event)
        return
      case 'socket':
        this.#countSocket(event)
        return
      case 'harmful':
        this.#harmful.get(event.deployId)?.()
        return
      default:
        this.sandboxes.receive(event)
    }
  }

  #countSocket({ label, was }: Extract<KeeperEvent, { is: 'socket' }>): void {
    const { series } = this.#options
    const open = this.#sockets.get(label) ?? []
    this.#sockets.set(label, open)
    if (was === 'refused') series.refused()
    else if (was === 'opened') open.push(series.open(label))
    else open.pop()?.()
    if (open.length === 0) this.#sockets.delete(label)
  }

  /**
   * Connects again, to a keeper that is started if none runs, so that the port answers again. Those who host apps find
   * them there or start them again.
   */
  #onLost(goesOn: boolean): void {
    this.#requests.end()
    this.sandboxes.lost(goesOn)
    for (const open of this.#sockets.values()) for (const close of open) close()
    this.#sockets.clear()
    if (this.#isStopping) return
    const { log } = this.#options
    if (goesOn) log.warn({}, 'another server upgrades the process that keeps apps; the apps go on')
    else log.error({}, 'the process that keeps apps ended; it and its apps are started again')
    setTimeout(() => {
      if (this.#isStopping) return
      const settings = { ...this.#options.settings, port: this.#port }
      this.#link
        .order({ do: 'open_door', settings })
        .catch((error: unknown) => log.error({ error }, 'the process that keeps apps could not be started again'))
    }, RECONNECT_MS).unref()
  }

  async #ask(address: AppAddress, request: Request): Promise<Response> {
    try {
      const to = { address, deploy: undefined, recordedAs: undefined }
      return await this.#requests.send({ tell: (message) => this.#link.tell(message) }, to, request)
    } catch (error) {
      if (error instanceof SocketFetchError || request.signal.aborted) throw error
      throw new SocketFetchError('no answer', true, error)
    }
  }
}
