import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { createHops } from '#edge/credentials/hop.ts'
import { type Listener, listen } from '#edge/http/listen.ts'
import { addressList, createInfoReader } from '#edge/http/request-info.ts'
import { systemClock } from '#lib/clock.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import { endFormerProcess, forgetProcess, rememberProcess } from '#lib/processes/former-process.ts'
import { createAppDoor } from './door.ts'
import { createDoorFetch } from './door-fetch.ts'
import { type DoorProcess, startDoorProcess } from './door-process.ts'
import type { AppAddress, DoorSettings, FromDoor, NoRoute, ProxyFacts, RouteAnswer } from './messages.ts'
import type { AppNetwork } from './network.ts'
import { Orders } from './orders.ts'
import { DoorEnded, OwnRequests } from './own-requests.ts'
import { portLimits } from './port-limits.ts'
import { endsTheDoor, type Suspect } from './replay.ts'
import { Slots } from './slots.ts'

/** Where a request goes. `begin` counts it until its result is called. */
export type FoundApp = { readonly to: RouteAnswer; readonly begin?: () => () => void }

type AppDoorOptions = {
  readonly settings: DoorSettings
  readonly log: {
    readonly error: (details: object, message: string) => void
    readonly warn: (details: object, message: string) => void
  }
  /** The file that names the process, so that it is found after this process crashed. */
  readonly pidFile: (port: number) => string
  /** The script of the process. Tests use one that misbehaves. */
  readonly script?: string
}

type UnderWay = { readonly end: () => void; readonly suspect: Suspect | undefined; readonly label: string }
type Proxy = { readonly facts: ProxyFacts; readonly onRefused: (reason: string) => void }

const RESTART_MS = [0, 50, 100, 250, 400]
const LONG_RUN_MS = 10_000
const STOP_MS = 20_000
/** How often a request of svc itself is sent again after the door ended under it. */
const RETRIES = 2
const MAX_REPLAYED_SUSPECTS = 4

/**
 * The port of apps and the process behind it. Until the first app is there, this process answers at the port itself,
 * with pages that say so. Then a process of its own does, which is started again whenever it ends.
 */
export class AppDoor implements AppNetwork, AsyncDisposable {
  readonly #options: AppDoorOptions
  readonly #placeholder: Listener
  readonly port: number
  #find: (label: string) => Promise<FoundApp> = async () => ({ to: { type: 'failed' } })
  #door: Promise<DoorProcess> | undefined
  #isStopping = false
  #replaying: Promise<void> | undefined
  #pid: number | undefined
  #shortRuns = 0
  readonly #requests = new OwnRequests()
  readonly #slots = new Slots()
  readonly #underWay = new Map<number, UnderWay>()
  readonly #proxies = new Map<string, Proxy>()
  readonly #blame = new Map<string, () => void>()
  readonly #orders = new Orders()

  private constructor(options: AppDoorOptions, placeholder: Listener) {
    this.#options = options
    this.#placeholder = placeholder
    this.port = placeholder.port
  }

  /** Takes the port. Throws if it is in use. */
  static async open(options: AppDoorOptions): Promise<AppDoor> {
    const { settings } = options
    if (settings.port !== 0) await endFormerProcess(options.pidFile(settings.port))
    const hops = createHops(settings.hopSecret, systemClock)
    const trustedProxies = addressList(settings.trustedProxies)
    let door: AppDoor | undefined
    const answer = createAppDoor({
      find: async ({ label }) => door?.findForPlaceholder(label) ?? { type: 'failed' },
      onError: () => {},
    })
    const placeholder = await listen({
      ...settings,
      fetch: createDoorFetch({ ...settings, hops, answer }),
      readInfo: createInfoReader({ trustedProxies, hops }),
      ...portLimits(trustedProxies),
      onError: (error) => options.log.error({ error }, 'the port of apps failed'),
    })
    door = new AppDoor(options, placeholder)
    return door
  }

  /** Says how apps are found. Before, every request is answered with 503. */
  serve(find: (label: string) => Promise<FoundApp>): void {
    this.#find = find
  }

  /** Resolves when the process answers at the port. */
  async start(): Promise<void> {
    await this.#running()
  }

  async findForPlaceholder(label: string): Promise<NoRoute> {
    const { to } = await this.#find(label)
    if (to.type !== 'app' && to.type !== 'worker') return { type: to.type }
    void this.#running().catch(() => {})
    return { type: 'not_running' }
  }

  /** The process that answers now. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** Resolves when it was decided whether an app ended the door. */
  async replayed(): Promise<void> {
    await this.#replaying
  }

  attach(address: AppAddress, onBlamed?: () => void) {
    const key = JSON.stringify(address)
    if (onBlamed) this.#blame.set(key, onBlamed)
    return {
      fetch: (request: Request) => this.#askApp(address, request),
      [Symbol.asyncDispose]: async () => {
        this.#blame.delete(key)
        const door = await this.#door?.catch(() => undefined)
        door?.tell({ do: 'forget', address })
      },
    }
  }

  async openProxy(facts: ProxyFacts, onRefused: (reason: string) => void): Promise<AsyncDisposable> {
    const door = await this.#running()
    const proxy = { facts, onRefused }
    this.#proxies.set(facts.path, proxy)
    try {
      await this.#openOne(door, proxy)
    } catch (error) {
      // A door that ended meanwhile opens it when it is started again.
      if (!(error instanceof DoorEnded)) {
        this.#proxies.delete(facts.path)
        throw error
      }
    }
    return {
      [Symbol.asyncDispose]: async () => {
        this.#proxies.delete(facts.path)
        const current = await this.#door?.catch(() => undefined)
        if (current)
          await this.#orders.give(current, (id) => ({ do: 'close_proxy', id, path: facts.path })).catch(() => {})
      },
    }
  }

  /** Closes each connection after its next answer, so that clients connect elsewhere. */
  drain(): void {
    this.#placeholder.drain()
    // A door that could not start has nothing to close.
    this.#door?.then(
      (door) => door.tell({ do: 'drain' }),
      () => {},
    )
  }

  /** Closes the port and waits for requests that are being answered. Apps go on to reach the outside until the end. */
  async closePort(): Promise<void> {
    this.#isStopping = true
    await this.#placeholder[Symbol.asyncDispose]()
    const door = await this.#door?.catch(() => undefined)
    if (door) await this.#orders.give(door, (id) => ({ do: 'close_port', id })).catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#placeholder[Symbol.asyncDispose]()
    const door = await this.#door?.catch(() => undefined)
    if (!door) return
    const timer = setTimeout(() => door.kill(), STOP_MS)
    door.tell({ do: 'stop' })
    await door.exited.finally(() => clearTimeout(timer))
  }

  #running(): Promise<DoorProcess> {
    if (this.#isStopping) return Promise.reject(new DoorEnded('svc is stopping'))
    this.#door ??= this.#startOne()
    return this.#door
  }

  async #startOne(): Promise<DoorProcess> {
    const startedAt = performance.now()
    const pidFile = this.#options.pidFile(this.port)
    const listening = Promise.withResolvers<void>()
    listening.promise.catch(() => {})
    let pid = 0
    let door: DoorProcess | undefined
    try {
      door = await startDoorProcess({
        script: this.#options.script,
        onExit: (description) => {
          listening.reject(new DoorEnded(description))
          if (pid !== 0) forgetProcess(pidFile, pid)
          if (pid !== 0) this.#onExit(description, performance.now() - startedAt)
        },
        onMessage: (message, from) => {
          if (message.is === 'listening') listening.resolve()
          else if (message.is === 'not_listening') listening.reject(new Error(message.reason))
          else this.#receive(message, from)
        },
      })
      pid = door.pid
      this.#pid = pid
      this.#remember(pidFile, pid)
      // The port is free for the process as soon as this is called; what is being answered here goes on.
      void this.#placeholder[Symbol.asyncDispose]()
      door.tell({ do: 'listen', ...this.#options.settings, port: this.port })
      await listening.promise
      for (const proxy of this.#proxies.values()) await this.#openAgain(door, proxy)
      return door
    } catch (error) {
      // A process that had begun is started again by its exit.
      door?.kill()
      if (pid === 0) this.#onExit(error instanceof Error ? error.message : String(error), 0)
      throw error
    }
  }

  /** Without the file a process that hangs while svc is killed keeps the port. That must not keep apps from starting. */
  #remember(pidFile: string, pid: number): void {
    try {
      rememberProcess(pidFile, pid)
    } catch (error) {
      this.#options.log.warn({ error }, 'the file that names the process for requests to apps could not be written')
    }
  }

  /** Ends everything that the door was doing, starts it again, and looks for the app that ended it. */
  #onExit(description: string, ranMs: number): void {
    this.#door = undefined
    this.#pid = undefined
    this.#orders.end(description)
    const own = this.#requests.end()
    const asked = [...this.#underWay.values()]
    this.#underWay.clear()
    for (const { end } of asked) end()
    if (this.#isStopping) return
    const apps = [...new Set(asked.map(({ label }) => label))].slice(0, 20)
    this.#options.log.error({ description, apps }, 'the process for requests to apps ended; it is started again')
    this.#shortRuns = ranMs < LONG_RUN_MS ? this.#shortRuns + 1 : 0
    const restart = () => void (this.#isStopping || this.#running().catch(() => {}))
    setTimeout(restart, RESTART_MS[Math.min(this.#shortRuns, RESTART_MS.length - 1)]).unref()
    const suspects = [...own, ...asked.flatMap(({ suspect }) => suspect ?? [])]
    this.#replaying ??= this.#replay(suspects).finally(() => {
      this.#replaying = undefined
    })
  }

  /** Looks for the app whose answer ended the door. It is stopped only if its answer does so again, alone. */
  async #replay(found: readonly Suspect[]): Promise<void> {
    const suspects = [...new Map(found.map((each) => [JSON.stringify([each.address, each.path]), each])).values()]
    for (const suspect of suspects.slice(0, MAX_REPLAYED_SUSPECTS)) {
      const onBlamed = this.#blame.get(JSON.stringify(suspect.address))
      if (onBlamed && (await endsTheDoor(suspect, this.#options.script))) onBlamed()
    }
  }

  #receive(message: FromDoor, door: DoorProcess): void {
    switch (message.is) {
      case 'asked':
        return void this.#route(message, door)
      case 'ended':
        this.#underWay.get(message.id)?.end()
        return void this.#underWay.delete(message.id)
      case 'done':
        this.#orders.settle(message.id, message.fault)
        return
      case 'answered':
      case 'body':
      case 'unanswered':
        this.#requests.receive(message)
        return
      case 'refused':
        this.#proxies.get(message.path)?.onRefused(message.reason)
        return
      case 'fault':
        this.#options.log.warn({ app: message.label, reason: message.reason }, 'an app did not answer a request')
        return
      case 'loaded':
      case 'listening':
      case 'not_listening':
        return
      default:
        message satisfies never
    }
  }

  async #route({ id, label, path }: Extract<FromDoor, { is: 'asked' }>, door: DoorProcess): Promise<void> {
    if (this.#underWay.has(id)) return door.kill()
    const giveBack = this.#slots.take(label)
    if (!giveBack) return door.tell({ do: 'route', id, to: { type: 'busy' } })
    const nobody: UnderWay = { end: () => {}, suspect: undefined, label }
    this.#underWay.set(id, nobody)
    let found: FoundApp
    try {
      found = await this.#find(label)
    } catch (error) {
      this.#options.log.error({ error, app: label }, 'an app could not be looked up')
      found = { to: { type: 'failed' } }
    }
    // It has ended meanwhile. Until now its slot was taken, because the lookup was.
    if (this.#underWay.get(id) !== nobody) return giveBack()
    const { to, begin } = found
    const suspect = to.type === 'app' && path !== undefined ? { address: to.address, path } : undefined
    const endCount = begin?.()
    const end = () => {
      giveBack()
      endCount?.()
    }
    this.#underWay.set(id, { end, suspect, label })
    door.tell({ do: 'route', id, to })
  }

  async #askApp(address: AppAddress, request: Request): Promise<Response> {
    for (let left = RETRIES; ; left--) {
      try {
        return await this.#requests.send(await this.#running(), address, request)
      } catch (error) {
        if (error instanceof SocketFetchError || request.signal.aborted) throw error
        if (left === 0 || this.#isStopping) throw new SocketFetchError('no answer', true, error)
        await delay(RESTART_MS[1], undefined, { ref: false })
      }
    }
  }

  /** A proxy that cannot be opened again must not keep the door from all other apps. */
  async #openAgain(door: DoorProcess, proxy: Proxy): Promise<void> {
    try {
      await this.#openOne(door, proxy)
    } catch (error) {
      if (error instanceof DoorEnded) throw error
      this.#options.log.error({ error, path: proxy.facts.path }, 'the way out of an app could not be opened again')
    }
  }

  async #openOne(door: DoorProcess, { facts }: Proxy): Promise<void> {
    // The socket of a process that was killed is still there.
    await rm(facts.path, { force: true })
    await this.#orders.give(door, (id) => ({ do: 'open_proxy', id, ...facts }))
  }
}
