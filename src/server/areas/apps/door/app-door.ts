import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Listener } from '#edge/listen/listen.ts'
import { orAborted } from '#lib/async/race.ts'
import type { Log } from '#lib/log/log.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import type { HandedOver } from '#lib/pipes/process-pipes.ts'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import type { AppRequest } from '#ports/apps.ts'
import type { AppCounts, AppSums } from '../counts/app-counts.ts'
import type { Door } from './door.ts'
import type { DoorProcess, FrozenDoorProcess } from './door-lines.ts'
import { DoorRuns, RESTART_MS } from './door-runs.ts'
import { FaultLog } from './harm/fault-log.ts'
import { createHarmSearch, type HarmSearch } from './harm/harm-search.ts'
import type { AnsweringDeploy } from './harm/suspects.ts'
import type { AppAddress, DoorSettings, FromDoor, NoRoute, ProxyFacts } from './messages.ts'
import { Orders } from './orders.ts'
import { createOutgoingProxies, type OutgoingProxies } from './outgoing-proxies.ts'
import { OwnRequests } from './own-requests.ts'
import { openAppPort } from './program/app-port.ts'
import { type Counted, type FoundApp, type FrozenRequest, RoutedRequests } from './routed-requests.ts'
import type { SocketSeries } from './socket-series.ts'

type AppDoorOptions = {
  /** Counts the requests of visitors. */
  readonly counts: AppCounts
  readonly settings: Omit<DoorSettings, 'socketKey'>
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly series: SocketSeries
  /** The file that names the process, so that it is found after this process crashed. */
  readonly pidFile: (port: number) => string
  /** The script of the process. Tests use one that misbehaves. */
  readonly script?: string
  /** Returns a new folder for pipes that the next program in this process can open. Undefined: there is none. */
  readonly pipesFolder?: () => string
}

/** The door for the next program in this process. */
export type FrozenDoor = {
  readonly settings: DoorSettings
  readonly process: FrozenDoorProcess
  readonly nextRequest: number
  readonly nextOrder: number
  readonly proxies: readonly string[]
  readonly underWay: readonly FrozenRequest[]
  /** Whether the process understands `report_outcomes`. Undefined: a former release started it. */
  readonly canReportOutcomes?: boolean
}

type CountedBy = (deployId: string) => Counted
/** `countedBy` returns how the instance of a deploy counts what it answers. */
type Resume = (countedBy: CountedBy) => void

const STOP_MS = 20_000
/** How often a request of svc itself is sent again after the door ended under it. */
const RETRIES = 2

/**
 * The port of apps and the process behind it. Until the first app is there, this process answers at the port itself,
 * with pages that say so. Then a process of its own does, which is started again whenever it ends.
 */
export class AppDoor implements Door {
  readonly #options: AppDoorOptions
  readonly #settings: DoorSettings
  readonly #placeholder: Listener | undefined
  readonly port: number
  #find: (label: string) => Promise<FoundApp> = async () => ({ to: { type: 'failed' } })
  readonly #runs: DoorRuns
  readonly #requests: OwnRequests
  readonly #routed: RoutedRequests
  readonly #harm: HarmSearch
  readonly #faults: FaultLog
  readonly #proxies: OutgoingProxies
  readonly #deploys = new Map<string, AnsweringDeploy>()
  readonly #orders: Orders
  /** Whether the process understands `report_outcomes`. */
  #canReportOutcomes: boolean
  #reportsOutcomes = true

  private constructor(options: AppDoorOptions, settings: DoorSettings, from: Listener | FrozenDoor) {
    const frozen = 'underWay' in from ? from : undefined
    this.#options = options
    this.#settings = settings
    this.#placeholder = 'underWay' in from ? undefined : from
    this.port = this.#placeholder?.port ?? settings.port
    this.#canReportOutcomes = frozen?.canReportOutcomes ?? false
    this.#runs = new DoorRuns({
      pidFile: options.pidFile(this.port),
      script: options.script,
      pipesFolder: options.pipesFolder,
      log: options.log,
      bringUp: (door, listening) => this.#bringUp(door, listening),
      onMessage: (message, sender) => this.#receive(message, sender),
      onExit: (description) => this.#onExit(description),
    })
    this.#requests = new OwnRequests(frozen?.nextRequest)
    this.#orders = new Orders(frozen?.nextOrder)
    this.#harm = createHarmSearch({ script: options.script, socketKey: settings.socketKey })
    this.#faults = new FaultLog((details) => options.log.warn(details, 'an app did not answer requests'))
    this.#proxies = createOutgoingProxies(
      this.#orders,
      (error, path) => options.log.error({ error, path }, 'the way out of an app could not be opened again'),
      frozen?.proxies,
    )
    this.#routed = new RoutedRequests({
      find: (label) => this.#find(label),
      deployAt: (address) => this.#deploys.get(JSON.stringify(address)),
      recordedAs: (deploy) => this.#harm.recordedAs(deploy),
      onError: (error, app) => options.log.error({ error, app }, 'an app could not be looked up'),
      series: options.series,
      counts: options.counts,
    })
  }

  /** Takes the port. Throws if it is in use. */
  static async open(options: AppDoorOptions): Promise<AppDoor> {
    const settings = { ...options.settings, socketKey: randomBytes(16).toString('base64') }
    if (settings.port !== 0) await endFormerProcess(options.pidFile(settings.port))
    let door: AppDoor | undefined
    const find = async ({ label }: AppRequest): Promise<NoRoute> =>
      door?.findForPlaceholder(label) ?? { type: 'failed' }
    const placeholder = await openAppPort(settings, {
      find,
      findSocket: find,
      onFault: () => {},
      onError: (error) => options.log.error({ error }, 'the port of apps failed'),
    })
    door = new AppDoor(options, settings, placeholder)
    return door
  }

  /**
   * Goes on with a door that the former program in this process started. Nothing that it says is read before `resume` is
   * called.
   */
  static adopt(options: AppDoorOptions, frozen: FrozenDoor): AppDoor & { resume: Resume } {
    const door = new AppDoor(options, frozen.settings, frozen)
    return Object.assign(door, { resume: (countedBy: CountedBy) => door.#resume(frozen, countedBy) })
  }

  /** Lets another program go on with the door in this process. Undefined while that is not possible. */
  handOver(): HandedOver<FrozenDoor> | undefined {
    const handed = this.#orders.isIdle ? this.#runs.handOver() : undefined
    if (!handed) return undefined
    const freeze = () => ({
      settings: { ...this.#settings, port: this.port },
      process: handed.freeze(),
      nextRequest: this.#requests.nextId,
      nextOrder: this.#orders.nextId,
      proxies: this.#proxies.paths(),
      underWay: this.#routed.freeze(),
      canReportOutcomes: this.#canReportOutcomes,
    })
    return { descriptors: handed.descriptors, freeze }
  }

  /**
   * Switches the reports of outcomes. They are off while another program may go on with the door, because it may be of a
   * former release. Resolves when the process has sent the last one.
   */
  async reportOutcomes(isOn: boolean): Promise<void> {
    this.#reportsOutcomes = isOn
    const door = this.#runs.current
    if (!door || !this.#canReportOutcomes) return
    // A process that ends meanwhile is started with what is set now.
    await this.#orders.give(door, (id) => ({ do: 'report_outcomes', id, isOn })).catch(() => {})
  }

  async takeCounts(): Promise<readonly AppSums[]> {
    return this.#options.counts.take()
  }

  /** Whether a process answers at the port, or soon will. */
  get isStarted(): boolean {
    return this.#runs.isStarted
  }

  /** Sets how apps are found. Before, every request is answered with 503. */
  serve(find: (label: string) => Promise<FoundApp>): void {
    this.#find = find
  }

  /** Resolves when the process answers at the port. */
  async start(): Promise<void> {
    await this.#runs.running()
  }

  async findForPlaceholder(label: string): Promise<NoRoute> {
    const { to } = await this.#find(label)
    if (to.type !== 'app' && to.type !== 'worker') return to
    void this.#runs.running().catch(() => {})
    return { type: 'not_running', isStarting: to.type === 'app' }
  }

  /** The process that answers now. */
  get pid(): number | undefined {
    return this.#runs.pid
  }

  /** Resolves when it was decided whether an app ended the door. */
  async judged(): Promise<void> {
    await this.#harm.settled()
  }

  attach(address: AppAddress, deploy?: AnsweringDeploy) {
    const key = JSON.stringify(address)
    if (deploy) this.#deploys.set(key, deploy)
    return {
      fetch: (request: Request) => this.#askApp(address, request),
      [Symbol.asyncDispose]: async () => {
        this.#deploys.delete(key)
        const door = await this.#runs.started()
        door?.tell({ do: 'forget', address })
      },
    }
  }

  async openProxy(
    facts: ProxyFacts,
    onRefused: (reason: string) => void,
    signal?: AbortSignal,
  ): Promise<AsyncDisposable> {
    if (!this.#proxies.goOn(facts, onRefused)) {
      const door = await (signal ? orAborted(this.#runs.running(), signal) : this.#runs.running())
      await this.#proxies.open(door, facts, onRefused)
    }
    return {
      [Symbol.asyncDispose]: async () => this.#proxies.close(await this.#runs.started(), facts.path),
    }
  }

  /** Closes each connection after its next answer, so that clients connect elsewhere. */
  drain(): void {
    this.#placeholder?.drain()
    void this.#runs.started().then((door) => door?.tell({ do: 'drain' }))
  }

  /** Closes the port and waits for requests that are being answered. Apps go on to reach the outside until the end. */
  async closePort(): Promise<void> {
    this.#runs.stop()
    await this.#placeholder?.[Symbol.asyncDispose]()
    const door = await this.#runs.started()
    if (door) await this.#orders.give(door, (id) => ({ do: 'close_port', id })).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#runs.stop()
    await this.#placeholder?.[Symbol.asyncDispose]()
    const door = await this.#runs.started()
    if (!door) return
    const timer = setTimeout(() => door.kill(), STOP_MS)
    door.tell({ do: 'stop' })
    await door.exited.finally(() => clearTimeout(timer))
  }

  async #bringUp(door: DoorProcess, listening: Promise<void>): Promise<() => void> {
    // The port is free for the process as soon as this is called; what is being answered here goes on.
    void this.#placeholder?.[Symbol.asyncDispose]()
    const reportsOutcomes = this.#reportsOutcomes
    door.tell({ do: 'listen', ...this.#settings, port: this.port, reportsOutcomes })
    await listening
    await this.#proxies.openAllAgain(door)
    return () => {
      this.#canReportOutcomes = true
      // It was switched while the process was starting.
      if (reportsOutcomes !== this.#reportsOutcomes) void this.reportOutcomes(this.#reportsOutcomes)
    }
  }

  #resume({ process, underWay }: FrozenDoor, countedBy: CountedBy): void {
    this.#routed.restore(underWay, this.#runs.adopt(process), countedBy)
    void this.reportOutcomes(true)
  }

  /** Ends everything that the door was doing, and looks for the app that ended it. */
  #onExit(description: string): void {
    this.#orders.end(description)
    const own = this.#requests.end()
    const { labels, deploys } = this.#routed.endAll()
    if (this.#runs.isStopping) return
    const apps = labels.slice(0, 20)
    // Ctrl-C reaches a process that has no session of its own yet, also while it starts. The server is about to stop then.
    const level = /^(?:[^:]*: )?SIGINT\b/.test(description) ? 'warn' : 'error'
    this.#options.log[level]({ description, apps }, 'the process for requests to apps ended; it is started again')
    this.#harm.onDeath([...deploys, ...own])
  }

  #receive(message: FromDoor, door: DoorProcess): void {
    switch (message.is) {
      case 'asked':
        return void this.#routed.route(message, door)
      case 'opened':
        this.#routed.opened(message.id)
        return
      case 'ended':
        this.#routed.end(message.id, message.outcome)
        return
      case 'recorded':
        this.#harm.receive(message)
        return
      case 'done':
        this.#orders.settle(message.id, message.fault)
        return
      case 'answered':
      case 'body':
      case 'unanswered':
        this.#requests.receive(message)
        return
      case 'refused':
        this.#proxies.refused(message.path, message.reason)
        return
      case 'fault':
        this.#faults.add(message.label, message.reason)
        return
      case 'loaded':
      case 'listening':
      case 'not_listening':
        return
      default:
        message satisfies never
    }
  }

  async #askApp(address: AppAddress, request: Request): Promise<Response> {
    const deploy = this.#deploys.get(JSON.stringify(address))
    for (let left = RETRIES; ; left--) {
      try {
        const door = await this.#runs.running()
        const to = { address, deploy, recordedAs: this.#harm.recordedAs(deploy) }
        return await this.#requests.send(door, to, request)
      } catch (error) {
        if (error instanceof SocketFetchError || request.signal.aborted) throw error
        if (left === 0 || this.#runs.isStopping) throw new SocketFetchError('no answer', true, error)
        await delay(RESTART_MS[1], undefined, { ref: false })
      }
    }
  }
}
