import { messageOf } from '#lib/message-of.ts'
import type { NoRoute } from '../../door/messages.ts'
import { answerOwnRequest } from '../../door/program/answer-own-request.ts'
import { openSandbox, type Sandbox, type SandboxMachine, takeUser } from '../../process/sandbox/sandbox.ts'
import type { CountedApps, DoorOptions, FromKeeper, Order, ToKeeper } from '../messages.ts'
import type { Program } from './hand-over.ts'
import type { Server } from './kept-app.ts'
import type { KeptApps } from './kept-apps.ts'
import { LineBuffer } from './line-buffer.ts'

type Message<D extends ToKeeper['do']> = Extract<ToKeeper, { do: D }>

/** The keeper as its connections see it. */
type KeeperParts = {
  readonly machine: SandboxMachine
  readonly apps: KeptApps
  readonly openDoor: (settings: DoorOptions) => Promise<number>
  readonly closePort: () => Promise<void>
  readonly takeCounts: () => CountedApps
  readonly drain: () => void
  readonly shutDown: () => Promise<void>
  readonly upgrade: (program: Program) => Promise<never>
}

const SERVER_ENDED = 'killed: its server ended'

/** Carries out what one server asks for. Its builds end with the connection, its apps do not. */
export class ServerConnection implements Server {
  readonly #keeper: KeeperParts
  readonly send: Server['send']
  readonly isRoomy: Server['isRoomy']
  readonly #sandboxes = new Map<number, Sandbox>()
  readonly #users = new Set<number>()
  readonly #lookUps = new Map<number, (to: NoRoute) => void>()
  readonly #fetches = new Map<number, AbortController>()
  #nextLookUp = 0
  #isClosed = false
  #holdMs = 0
  #renews = false
  readonly #lines = new Map<number, LineBuffer>()

  constructor(keeper: KeeperParts, { send, isRoomy }: Pick<Server, 'send' | 'isRoomy'>) {
    this.#keeper = keeper
    this.send = send
    this.isRoomy = isRoomy
  }

  renews(): boolean {
    return this.#renews
  }

  /** Sends what builds wrote, as far as the server reads it. */
  sendLines(): void {
    for (const sandbox of this.#lines.keys()) this.#sendLines(sandbox)
  }

  /** Whether a build runs, is about to, or is ending. */
  isBuilding(): boolean {
    return this.#lines.size > 0 || this.#users.size > 0
  }

  isOpen(): boolean {
    return !this.#isClosed
  }

  holdMs(): number {
    return this.#holdMs
  }

  /** Resolves with why no app answers for the label. */
  lookUp(label: string): Promise<NoRoute> {
    const id = this.#nextLookUp++
    const { promise, resolve } = Promise.withResolvers<NoRoute>()
    this.#lookUps.set(id, resolve)
    this.send({ is: 'look_up', id, label })
    return promise
  }

  close(): void {
    this.#isClosed = true
    for (const sandbox of this.#sandboxes.values()) sandbox.kill(SERVER_ENDED)
    void this.#freeUsers()
    for (const resolve of this.#lookUps.values()) resolve({ type: 'not_running' })
    for (const stopping of this.#fetches.values()) stopping.abort(new Error('the server ended'))
  }

  receive(message: ToKeeper): void {
    switch (message.do) {
      case 'hello':
        this.#holdMs = message.holdMs
        this.#renews = message.renews
        return
      case 'run':
        this.#sandboxes.get(message.sandbox)?.run(message.command, message.variables)
        return
      case 'kill':
        this.#sandboxes.get(message.sandbox)?.kill(message.reason, message.by)
        return
      case 'free_user':
        this.#users.delete(message.uid)
        this.#keeper.machine.users.free(message.uid)
        return
      case 'stop_app':
        this.#keeper.apps.toEnd(this, message)?.stop()
        return
      case 'kill_app':
        this.#keeper.apps.toEnd(this, message)?.kill(message.reason, message.by)
        return
      case 'leave':
        this.#app(message.deployId)?.leave()
        return
      case 'held':
        this.#keeper.apps.renewHold(this, message.appId)
        return
      case 'unroute':
        if (this.#app(message.deployId)) this.#keeper.apps.unroute(message.deployId)
        return
      case 'fetch':
        return void this.#askApp(message)
      case 'cancel':
        this.#fetches.get(message.id)?.abort(new Error('cancelled'))
        return
      case 'found':
        this.#lookUps.get(message.id)?.(message.to)
        this.#lookUps.delete(message.id)
        return
      case 'close_sockets':
        this.#app(message.deployId)?.closeSockets()
        return
      case 'drain':
        this.#keeper.drain()
        return
      default:
        void this.#answer(message.id, message)
    }
  }

  async #answer(id: number, order: Order): Promise<void> {
    try {
      this.send({ is: 'done', id, value: await this.#carryOut(order) })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      this.send({ is: 'done', id, fault: { message: messageOf(error), code } })
    }
  }

  async #carryOut(order: Order): Promise<unknown> {
    const { apps } = this.#keeper
    switch (order.do) {
      case 'open_door':
        return this.#keeper.openDoor(order.settings)
      case 'take_user':
        return this.#takeUser()
      case 'open':
        return this.#open(order)
      case 'start':
        return apps.start(this, order.options)
      case 'find':
        return apps.find(this, order.claim, order.stored)
      case 'end_orphans':
        return apps.endOthers(order.app, order.keep)
      case 'replace_token':
        return this.#app(order.deployId)?.replaceToken(order.token)
      case 'drain_app':
        return this.#app(order.deployId)?.drain(order.graceMs, order.socketsMs)
      case 'route':
        if (this.#app(order.deployId)) apps.route(order.label, order.deployId)
        return undefined
      case 'close_port':
        return this.#keeper.closePort()
      case 'take_counts':
        return this.#keeper.takeCounts()
      case 'upgrade':
        return this.#keeper.upgrade(order)
      case 'shut_down':
        return this.#keeper.shutDown()
      default:
        return order satisfies never
    }
  }

  #app(deployId: string) {
    return this.#keeper.apps.hosted(this, deployId)
  }

  /** The builds of a server that is gone have ended before others get their users. */
  async #freeUsers(): Promise<void> {
    await Promise.all([...this.#sandboxes.values()].map(({ gone }) => gone))
    for (const uid of this.#users) this.#keeper.machine.users.free(uid)
    this.#users.clear()
  }

  async #takeUser(): Promise<number | null> {
    const uid = await takeUser(this.#keeper.machine)
    if (uid !== undefined && this.#isClosed) this.#keeper.machine.users.free(uid)
    else if (uid !== undefined) this.#users.add(uid)
    return uid ?? null
  }

  async #open({ sandbox: id, options }: Extract<Order, { do: 'open' }>): Promise<void> {
    const lines = new LineBuffer()
    this.#lines.set(id, lines)
    const onLine = ({ stream, text }: { stream: 'stdout' | 'stderr' | 'system'; text: string }) => {
      lines.add({ stream, text }, Date.now())
      this.#sendLines(id)
    }
    let sandbox: Sandbox
    try {
      sandbox = await openSandbox({ ...options, onLine }, this.#keeper.machine)
    } catch (error) {
      this.#lines.delete(id)
      throw error
    }
    this.#sandboxes.set(id, sandbox)
    if (this.#isClosed) sandbox.kill(SERVER_ENDED)
    void this.#watch(id, sandbox)
  }

  #sendLines(sandbox: number): void {
    while (this.isRoomy()) {
      const line = this.#lines.get(sandbox)?.next()
      if (!line) return
      this.send({ is: 'line', sandbox, line })
    }
  }

  async #watch(id: number, sandbox: Sandbox): Promise<void> {
    const fault = await sandbox.ready.then(() => undefined, messageOf)
    const ready: Extract<FromKeeper, { is: 'ready' }> = {
      is: 'ready',
      sandbox: id,
      firstPid: (await sandbox.firstPid) ?? null,
    }
    this.send(fault === undefined ? ready : { ...ready, fault })
    const end = await sandbox.gone
    this.#sandboxes.delete(id)
    this.#sendLines(id)
    this.#lines.delete(id)
    this.send({ is: 'gone', sandbox: id, end, triedNetwork: sandbox.triedNetwork() })
  }

  async #askApp({ id, address, path, headers }: Message<'fetch'>): Promise<void> {
    const app = 'socket' in address ? this.#keeper.apps.at(address.socket) : undefined
    const stopping = new AbortController()
    this.#fetches.set(id, stopping)
    const ask = (request: Request) => (app ? app.ask(request) : Promise.reject(new Error('the app has ended')))
    await answerOwnRequest({ id, path, headers, signal: stopping.signal }, ask, this.send)
    this.#fetches.delete(id)
  }
}
