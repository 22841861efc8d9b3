import type { Hops } from '#edge/credentials/hop.ts'
import type { Listener } from '#edge/listen/listen.ts'
import type { AppRequest } from '#ports/apps.ts'
import type { Outcome } from '../../counts/app-counts.ts'
import type { AppAddress, FromDoor, RouteAnswer, ToDoor } from '../messages.ts'
import { createDirectNetwork, type ReachedApp } from '../network.ts'
import { answerOwnRequest } from './answer-own-request.ts'
import { openAppPort } from './app-port.ts'
import { type AppRoute, requestForApp } from './door.ts'
import { requestForWorker } from './forwarding.ts'
import { measureAnswer } from './measure-answer.ts'
import { createRecorder, type Recorder } from './recorder.ts'
import { sendAndWatch } from './send-and-watch.ts'
import { OpenSockets } from './sockets/open-sockets.ts'
import type { SocketRoute } from './sockets/socket-door.ts'

type Order<D extends ToDoor['do']> = Extract<ToDoor, { do: D }>
type Tell = (message: FromDoor) => void
/** A route to an app, and how svc learns that what was routed has ended. */
type Found = { readonly id: number; readonly route: RouteAnswer; readonly end: (outcome?: Outcome) => void }

/** Carries out the orders of svc in the process that handles the bytes of apps. */
export class DoorProgram {
  readonly #tell: Tell
  readonly #exit: (code: number) => void
  readonly #recorder: Recorder
  readonly #network: ReturnType<typeof createDirectNetwork>
  readonly #apps = new Map<string, ReachedApp>()
  readonly #sockets = new OpenSockets()
  readonly #proxies = new Map<string, AsyncDisposable>()
  readonly #routes = new Map<number, (to: RouteAnswer) => void>()
  readonly #fetches = new Map<number, AbortController>()
  #listener: Listener | undefined
  #nextId = 0
  #reportsOutcomes = false

  constructor(tell: Tell, exit: (code: number) => void) {
    this.#tell = tell
    this.#exit = exit
    this.#recorder = createRecorder(tell)
    this.#network = createDirectNetwork((address) => this.#recorder.watch(address))
  }

  receive(order: ToDoor): void {
    switch (order.do) {
      case 'listen':
        this.#reportsOutcomes = order.reportsOutcomes === true
        return void this.#openPort(order)
      case 'report_outcomes':
        this.#reportsOutcomes = order.isOn
        this.#tell({ is: 'done', id: order.id })
        return
      case 'route':
        this.#routes.get(order.id)?.(order.to)
        return void this.#routes.delete(order.id)
      case 'open_proxy':
        this.#run(order.id, this.#openProxy(order))
        return
      case 'close_proxy':
        this.#run(order.id, this.#closeProxy(order.path))
        return
      case 'forget':
        return void this.#forget(order.address)
      case 'fetch':
        return void this.#askApp(order)
      case 'cancel':
        this.#fetches.get(order.id)?.abort(new Error('cancelled'))
        return
      case 'close_socket':
        // After its route, which may have come with this order.
        return void setImmediate(() => this.#sockets.close(order.id))
      case 'drain':
        this.#listener?.drain()
        return
      case 'close_port':
        this.#run(order.id, this.#closePort())
        return
      case 'stop':
        return void this.#closePort().then(() => this.#exit(0))
      default:
        order satisfies never
    }
  }

  async #openPort(settings: Order<'listen'>): Promise<void> {
    try {
      this.#listener = await openAppPort(settings, {
        find: (asked, hops) => this.#findRoute(asked, hops),
        findSocket: (asked, hops) => this.#findSocketRoute(asked, hops),
        onFault: (error, label) => this.#tell({ is: 'fault', label, reason: reasonOf(error) }),
        onError: (error) => this.#tell({ is: 'fault', label: '', reason: reasonOf(error) }),
      })
      this.#tell({ is: 'listening', port: this.#listener.port })
    } catch (error) {
      this.#tell({ is: 'not_listening', reason: reasonOf(error) })
    }
  }

  async #closePort(): Promise<void> {
    await Promise.all([this.#listener?.[Symbol.asyncDispose](), this.#sockets.closeAll()])
  }

  async #findRoute(asked: AppRequest, hops: Hops): Promise<AppRoute> {
    const { route, end } = await this.#askRoute(asked.label)
    if (route.type !== 'app' && route.type !== 'worker') return route
    const { fetch } = this.#appAt(route.address)
    if (route.type === 'app') {
      const measured = measureAnswer(fetch)
      const endMeasured = () => end(measured.outcome())
      const send = (sent: Request) => sendAndWatch(measured.send, sent, endMeasured)
      return { type: 'app', fetch: send, end: endMeasured }
    }
    const forward = (forwarded: AppRequest) => sendAndWatch(fetch, requestForWorker(forwarded, hops), end)
    return { type: 'elsewhere', forward, end }
  }

  async #findSocketRoute(asked: AppRequest, hops: Hops): Promise<SocketRoute> {
    const { id, route, end } = await this.#askRoute(asked.label, { isSocket: true })
    if (route.type !== 'app' && route.type !== 'worker') return route
    const place = this.#sockets.begin(id, route.address, {
      onOpen: () => this.#tell({ is: 'opened', id }),
      onEnd: () => end(),
    })
    const request = route.type === 'app' ? requestForApp(asked) : requestForWorker(asked, hops)
    return { type: 'socket', request, connect: this.#appAt(route.address).open, place }
  }

  /** Asks svc where a request or WebSocket goes. svc counts it as under way until it ended. */
  async #askRoute(label: string, kind: { isSocket?: true } = {}): Promise<Found> {
    const id = this.#nextId++
    const { promise, resolve } = Promise.withResolvers<RouteAnswer>()
    this.#routes.set(id, resolve)
    this.#tell({ is: 'asked', id, label, ...kind })
    const route = await promise
    let hasEnded = false
    const end = (outcome?: Outcome) => {
      if (hasEnded) return
      hasEnded = true
      this.#tell({ is: 'ended', id, ...(this.#reportsOutcomes && outcome && { outcome }) })
    }
    if (route.type === 'app') this.#recorder.set(route.address, route.recordedAs)
    else if (route.type !== 'worker') end()
    return { id, route, end }
  }

  #appAt(address: AppAddress): ReachedApp {
    const key = JSON.stringify(address)
    const app = this.#apps.get(key) ?? this.#network.attach(address)
    this.#apps.set(key, app)
    return app
  }

  async #forget(address: AppAddress): Promise<void> {
    const key = JSON.stringify(address)
    const app = this.#apps.get(key)
    this.#apps.delete(key)
    this.#recorder.set(address, undefined)
    this.#sockets.closeAt(address)
    await app?.[Symbol.asyncDispose]()
  }

  async #askApp({ id, address, recordedAs, path, headers }: Order<'fetch'>): Promise<void> {
    this.#recorder.set(address, recordedAs)
    const stopping = new AbortController()
    this.#fetches.set(id, stopping)
    try {
      const asked = { id, path, headers, signal: stopping.signal }
      await answerOwnRequest(asked, (request) => this.#appAt(address).fetch(request), this.#tell)
    } finally {
      this.#fetches.delete(id)
    }
  }

  async #openProxy({ path, ownOrigin, ownClientAddress }: Order<'open_proxy'>): Promise<void> {
    const onRefused = (reason: string) => this.#tell({ is: 'refused', path, reason: reason.slice(0, 500) })
    this.#proxies.set(path, await this.#network.openProxy({ path, ownOrigin, ownClientAddress }, onRefused))
  }

  async #closeProxy(path: string): Promise<void> {
    await this.#proxies.get(path)?.[Symbol.asyncDispose]()
    this.#proxies.delete(path)
  }

  #run(id: number, work: Promise<void>): void {
    work.then(
      () => this.#tell({ is: 'done', id }),
      (error: unknown) => this.#tell({ is: 'done', id, fault: reasonOf(error) }),
    )
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 500)
}
