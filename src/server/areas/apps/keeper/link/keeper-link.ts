import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { orAborted } from '#lib/async/race.ts'
import type { Log } from '#lib/log/log.ts'
import { messageOf } from '#lib/message-of.ts'
import { identityOf, isStaying } from '#lib/processes/former-process.ts'
import type { NoRoute } from '../../door/messages.ts'
import { keeperEntry, programDigest } from '../command.ts'
import { type Fault, type FromKeeper, type Order, PROTOCOL, type StartedBy, type ToKeeper } from '../messages.ts'
import { openWire, type Wire } from '../wire.ts'
import { connectToKeeper, startKeeper } from './start-keeper.ts'

type Welcome = Extract<FromKeeper, { is: 'welcome' }>
type Connection = {
  readonly wire: Wire<ToKeeper>
  readonly welcome: Welcome
  /** The process of the keeper as `identityOf` names it. */
  readonly identity: string
}

/** Events of the sandboxes of this server. Undefined: the keeper is gone. */
export type KeeperEvent = Exclude<FromKeeper, { is: 'welcome' | 'done' | 'look_up' | 'log' }>

type LinkOptions = {
  readonly dataDir: string
  /** For how long the keeper lets apps run after this server is gone. */
  readonly holdMs: number
  /** Whether it is told again and again that no other machine hosts them. */
  readonly renewsHold: boolean
  readonly log: Pick<Log, 'warn' | 'error'>
  /** For how long a keeper with another protocol is asked to upgrade. */
  readonly upgradeMs?: number | undefined
  /** Called for each keeper, before anything else is asked of it. */
  readonly onConnect: (order: (order: Order) => Promise<unknown>) => Promise<void>
  readonly onEvent: (event: KeeperEvent) => void
  /** Called when a keeper is gone, with everything that it kept. `goesOn`: it goes on with apps as another program. */
  readonly onLost: (goesOn: boolean) => void
  /** Returns why no app answers for the label. */
  readonly lookUp: (label: string) => Promise<NoRoute>
}

const STOPPING = 'svc is stopping'
const NEVER = new AbortController().signal

/** For how long a keeper with another protocol is asked to become the program of this release before it is ended. */
const UPGRADE_MS = 60_000
const BETWEEN_UPGRADES_MS = 500
const MAX_TRIES = 20
const BETWEEN_TRIES_MS = 50

/** Names what to do about a keeper of another release. An operator started it, so svc does not end it. */
function otherRelease({ pid }: Partial<Welcome>, dataDir: string): string {
  const name = pid === undefined ? '' : `, process ${pid}`
  const end = pid === undefined ? 'end it' : `run \`kill ${pid}\``
  return (
    `the process that keeps apps (svc-server keeper${name}) is of another release, so no app can run. Restart the ` +
    `service that runs it, or ${end} and then \`SVC_DATA_DIR=${dataDir} svc-server keeper\` of this release. ` +
    'Its apps end and are started again'
  )
}

/** Thrown for an order that was not answered before the connection ended. */
class KeeperGone extends Error {
  override readonly name = 'KeeperGone'
}

/** The connection of this server to the keeper of its data folder, which is started when it is needed. */
export class KeeperLink {
  readonly #options: LinkOptions
  #connection: Promise<Connection> | undefined
  #current: Connection | undefined
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #nextId = 0
  #isClosed = false
  /** Only a server that starts asks for an upgrade: of two servers, each would upgrade to its own release for ever. */
  #mayUpgrade = true
  /** Until when a keeper with another protocol is asked. */
  #upgradeUntil: number | undefined

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get startedBy(): StartedBy | undefined {
    return this.#current?.welcome.startedBy
  }

  get pid(): number | undefined {
    return this.#current?.welcome.pid
  }

  async keeperId(): Promise<string> {
    return (await this.#connectOrStart()).welcome.keeperId
  }

  /** Connects if a keeper runs. Returns whether one does. */
  async connectIfRunning(): Promise<boolean> {
    if (this.#current) return true
    return this.#whileGone(async () => {
      const socket = await connectToKeeper(this.#options.dataDir)
      if (!socket) return false
      await this.#connect(async () => socket)
      return true
    })
  }

  /**
   * Resolves with what the keeper answers. Rejects with the reason if it refuses, or ends before, and with that of the
   * signal as soon as it is aborted. Nothing is sent after that.
   */
  async order(order: Order, signal = NEVER): Promise<unknown> {
    const { wire } = await orAborted(this.#connectOrStart(), signal)
    return orAborted(this.#send(wire, order), signal)
  }

  /** As `order`, but does nothing where no keeper runs. */
  async orderIfRunning(order: Order): Promise<unknown> {
    return this.#current && this.#send(this.#current.wire, order)
  }

  tell(message: ToKeeper): void {
    this.#current?.wire.send(message)
  }

  /** Ends the connection. The keeper goes on. */
  close(): void {
    this.#isClosed = true
    this.#current?.wire.end()
  }

  #connectOrStart(): Promise<Connection> {
    return this.#whileGone(() => this.#connect(() => this.#connectSocket()))
  }

  /**
   * Acts again where the keeper was gone before it answered. A socket still takes connections when its keeper is about to
   * become another program or to end, and another one listens soon after.
   */
  async #whileGone<T>(act: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await act()
      } catch (error) {
        if (!(error instanceof KeeperGone) || this.#isClosed || tries === MAX_TRIES) throw error
      }
      await delay(BETWEEN_TRIES_MS)
    }
  }

  async #connectSocket(): Promise<Duplex> {
    const { dataDir } = this.#options
    return (await connectToKeeper(dataDir)) ?? startKeeper(dataDir)
  }

  #connect(open: () => Promise<Duplex>): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error(STOPPING))
    if (!this.#connection) {
      const connection = this.#open(open)
      this.#connection = connection
      connection.catch(() => {
        if (this.#connection === connection) this.#connection = undefined
      })
    }
    return this.#connection
  }

  async #open(open: () => Promise<Duplex>): Promise<Connection> {
    const welcomed = Promise.withResolvers<Welcome>()
    welcomed.promise.catch(() => {})
    const closed = Promise.withResolvers<void>()
    const wire: Wire<ToKeeper> = openWire<FromKeeper, ToKeeper>(await open(), {
      onMessage: (message) => {
        if (message.is === 'welcome') welcomed.resolve(message)
        else this.#receive(message, wire)
      },
      onClose: () => {
        welcomed.reject(new KeeperGone('the process that keeps apps ended'))
        closed.resolve()
        this.#onClose(wire)
      },
    })
    const welcome = await welcomed.promise
    if (this.#isClosed) {
      wire.end()
      throw new Error(STOPPING)
    }
    if (this.#mayUpgrade && welcome.program !== undefined && welcome.program !== programDigest()) {
      const hasBegunAnew = await this.#upgradeInTime(wire, welcome.protocol)
      if (hasBegunAnew) return this.#open(() => this.#connectSocket())
    }
    this.#mayUpgrade = false
    if (welcome.protocol !== PROTOCOL) {
      if (welcome.startedBy === 'operator') {
        wire.end()
        throw new Error(otherRelease(welcome, this.#options.dataDir))
      }
      // Its apps end with it, and are started again by those who host them.
      this.#options.log.error(
        {},
        'the process that keeps apps is of another release; it and its apps are started again',
      )
      wire.send({ do: 'shut_down', id: 0 })
      await closed.promise
      return this.#open(() => startKeeper(this.#options.dataDir))
    }
    wire.send({ do: 'hello', protocol: PROTOCOL, holdMs: this.#options.holdMs, renews: this.#options.renewsHold })
    try {
      await this.#options.onConnect((order) => this.#send(wire, order))
    } catch (error) {
      // Otherwise each new try would leave a connection, and a keeper with one never ends.
      wire.end()
      throw error
    }
    this.#current = { wire, welcome, identity: identityOf(welcome.pid) }
    return this.#current
  }

  /**
   * Resolves with true when the keeper becomes another program, with false if it stays as it is. One with the same
   * protocol can stay. One with another protocol has to end with all its apps then, so it is asked again for some time.
   */
  async #upgradeInTime(wire: Wire<ToKeeper>, protocol: number): Promise<boolean> {
    const { log, upgradeMs = UPGRADE_MS } = this.#options
    this.#upgradeUntil ??= performance.now() + upgradeMs
    const canStay = protocol === PROTOCOL
    for (let tries = 1; ; tries++) {
      const refusal = await this.#upgrade(wire)
      const isOver = canStay || this.#isClosed || performance.now() >= this.#upgradeUntil
      this.#mayUpgrade = !isOver
      if (refusal === undefined) return true
      if (isOver || tries === 1) {
        const again = isOver ? {} : { triedAgainForSeconds: upgradeMs / 1000 }
        log.warn({ reason: refusal, ...again }, 'the process that keeps apps was not upgraded')
      }
      if (isOver) return false
      await delay(BETWEEN_UPGRADES_MS)
    }
  }

  /** Resolves when the keeper becomes the program of this release, or with the reason why it does not. */
  async #upgrade(wire: Wire<ToKeeper>): Promise<string | undefined> {
    try {
      await this.#send(wire, { do: 'upgrade', execPath: process.execPath, entry: keeperEntry() })
      return 'it did not begin anew'
    } catch (error) {
      return error instanceof KeeperGone ? undefined : messageOf(error)
    }
  }

  #send(wire: Wire<ToKeeper>, order: Order): Promise<unknown> {
    if (!wire.isOpen()) return Promise.reject(new KeeperGone('the process that keeps apps ended'))
    const id = this.#nextId++
    const pending = Promise.withResolvers<unknown>()
    this.#pending.set(id, pending)
    wire.send({ ...order, id })
    return pending.promise
  }

  #receive(message: Exclude<FromKeeper, Welcome>, wire: Wire<ToKeeper>): void {
    switch (message.is) {
      case 'done':
        if (message.fault === undefined) this.#pending.get(message.id)?.resolve(message.value)
        else this.#pending.get(message.id)?.reject(errorOf(message.fault))
        this.#pending.delete(message.id)
        return
      case 'look_up':
        return void this.#lookUp(message, wire)
      case 'log':
        this.#options.log[message.level](message.details, message.message)
        return
      default:
        this.#options.onEvent(message)
    }
  }

  /** Answers where it was asked, because a keeper also asks a server that is still connecting. */
  async #lookUp({ id, label }: Extract<FromKeeper, { is: 'look_up' }>, wire: Wire<ToKeeper>): Promise<void> {
    const to = await this.#options.lookUp(label).catch((error: unknown): NoRoute => {
      this.#options.log.error({ error: messageOf(error), app: label }, 'an app could not be looked up')
      return { type: 'failed' }
    })
    wire.send({ do: 'found', id, to })
  }

  #onClose(wire: Wire<ToKeeper>): void {
    const current = this.#current
    const wasConnected = current?.wire === wire
    if (current && !wasConnected) return
    this.#current = undefined
    for (const pending of this.#pending.values()) pending.reject(new KeeperGone('the process that keeps apps ended'))
    this.#pending.clear()
    if (!wasConnected) return
    this.#connection = undefined
    this.#options.onLost(isStaying(current.identity))
  }
}

function errorOf({ message, code }: Fault): Error {
  return Object.assign(new Error(message), code !== undefined && { code })
}
