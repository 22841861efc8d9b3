import type { AppCounts, Outcome } from '../counts/app-counts.ts'
import type { DoorProcess } from './door-process.ts'
import type { AnsweringDeploy } from './harm/suspects.ts'
import type { AppAddress, FromDoor, NoRoute } from './messages.ts'
import { MAX_SOCKETS, MAX_SOCKETS_PER_APP, MAX_UNDER_WAY, MAX_UNDER_WAY_PER_APP } from './program/bounds.ts'
import { Slots } from './slots.ts'
import type { SocketSeries } from './socket-series.ts'

export type FoundApp =
  | {
      readonly to: { readonly type: 'app'; readonly address: AppAddress }
      /** Counts the request until the result is called. */
      readonly begin?: () => () => void
      /** Counts a WebSocket until the result is called. `close` is called when it is to end. */
      readonly beginSocket?: (close: () => void) => () => void
      /** The deploy that answers, where the address was not attached in this process. */
      readonly deploy?: AnsweringDeploy
    }
  | {
      readonly to: { readonly type: 'worker'; readonly address: AppAddress } | NoRoute
      /** Whether an app of that label is certain to exist, so that a request which it does not answer is counted. */
      readonly isApp?: boolean
    }

type FoundInstance = Extract<FoundApp, { to: { type: 'app' } }>
type RouteQuery = Extract<FromDoor, { is: 'asked' }>
type UnderWay = {
  readonly label: string
  readonly end: () => void
  /** Counts what became of a request to an app, once. */
  readonly countOutcome?: ((outcome: Outcome) => void) | undefined
  readonly deploy: AnsweringDeploy | undefined
  /** Counts a WebSocket as open, once. */
  readonly count?: () => void
  readonly isSocket: boolean
  /** Whether the door has got its route. */
  readonly isRouted: boolean
  isOpen?: true
}

/** A request or WebSocket for the next program in this process. */
export type FrozenRequest = {
  readonly id: number
  readonly label: string
  readonly isSocket: boolean
  readonly isRouted: boolean
  readonly isOpen: boolean
  readonly deployId: string | undefined
}

/** The way in which an instance counts what it answers. */
export type Counted = {
  readonly begin?: FoundInstance['begin'] | undefined
  readonly beginSocket?: FoundInstance['beginSocket'] | undefined
  readonly deploy?: AnsweringDeploy | undefined
}

type Deps = {
  readonly find: (label: string) => Promise<FoundApp>
  readonly deployAt: (address: AppAddress) => AnsweringDeploy | undefined
  readonly recordedAs: (deploy: AnsweringDeploy | undefined) => string | undefined
  readonly onError: (error: unknown, label: string) => void
  readonly series: SocketSeries
  readonly counts: Pick<AppCounts, 'ended' | 'refused'>
}

/** An error that an answer caused may come this long after it was read. */
const AFTER_ANSWER_MS = 1_000
const MAX_LAST_ENDED = 32

/** The requests and WebSockets of visitors that one door has under way. svc counts them, so that none is lost when the door dies. */
export class RoutedRequests {
  readonly #deps: Deps
  readonly #slots = new Slots({ total: MAX_UNDER_WAY, perApp: MAX_UNDER_WAY_PER_APP })
  readonly #socketSlots = new Slots({ total: MAX_SOCKETS, perApp: MAX_SOCKETS_PER_APP })
  readonly #underWay = new Map<number, UnderWay>()
  #lastEnded: { readonly deploy: AnsweringDeploy; readonly at: number }[] = []

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends the door the address for a request, and counts the request until it has ended. */
  async route({ id, label, isSocket }: RouteQuery, door: DoorProcess): Promise<void> {
    if (this.#underWay.has(id)) return door.kill()
    const giveBack = (isSocket ? this.#socketSlots : this.#slots).take(label)
    if (!giveBack) {
      if (isSocket) this.#deps.series.refused()
      else this.#deps.counts.refused(label)
      return door.tell({ do: 'route', id, to: { type: 'busy' } })
    }
    const facts = { label, isSocket: isSocket === true }
    const nobody: UnderWay = { ...facts, end: () => {}, deploy: undefined, isRouted: false }
    this.#underWay.set(id, nobody)
    const found = await this.#find(label)
    // It has ended meanwhile. Until now its slot was taken, because the lookup was.
    if (this.#underWay.get(id) !== nobody) return giveBack()
    if (found.to.type !== 'app') {
      if ('isApp' in found && found.isApp && !isSocket) this.#deps.counts.ended(label, { noAnswer: 'app' })
      this.#underWay.set(id, { ...facts, end: giveBack, deploy: undefined, isRouted: true })
      return door.tell({ do: 'route', id, to: found.to })
    }
    const { to, begin, beginSocket, deploy = this.#deps.deployAt(to.address) } = found as FoundInstance
    this.#count({ id, ...facts }, { begin, beginSocket, deploy }, giveBack, door)
    door.tell({ do: 'route', id, to: { ...to, recordedAs: this.#deps.recordedAs(deploy) } })
  }

  /** Counts a WebSocket that the app accepted. */
  opened(id: number): void {
    const socket = this.#underWay.get(id)
    if (!socket?.count) return
    socket.isOpen = true
    socket.count()
  }

  /** Describes all of them for the next program in this process. */
  freeze(): FrozenRequest[] {
    return [...this.#underWay].map(([id, { label, isSocket, isRouted, isOpen = false, deploy }]) => {
      return { id, label, isSocket, isRouted, isOpen, deployId: deploy?.deployId }
    })
  }

  /** Goes on with what a former program routed, and routes what it did not. */
  restore(frozen: readonly FrozenRequest[], door: DoorProcess, countedBy: (deployId: string) => Counted): void {
    for (const { id, label, isSocket, isRouted, isOpen, deployId } of frozen) {
      if (!isRouted) {
        void this.route({ is: 'asked', id, label, ...(isSocket && { isSocket }) }, door)
        continue
      }
      const giveBack = (isSocket ? this.#socketSlots : this.#slots).take(label) ?? (() => {})
      const counted = deployId === undefined ? {} : countedBy(deployId)
      this.#count({ id, label, isSocket }, counted, giveBack, door)
      if (isOpen) this.opened(id)
    }
  }

  /** Without an outcome the request is not counted: the door does not report outcomes. */
  end(id: number, outcome?: Outcome): void {
    const ended = this.#underWay.get(id)
    if (!ended) return
    this.#underWay.delete(id)
    ended.end()
    if (outcome) ended.countOutcome?.(outcome)
    if (!ended.deploy) return
    this.#lastEnded.push({ deploy: ended.deploy, at: performance.now() })
    if (this.#lastEnded.length > MAX_LAST_ENDED) this.#lastEnded.shift()
  }

  /** Ends all of them, because the door died. Returns the apps that were asked and the deploys that may be the cause. */
  endAll(): { readonly labels: readonly string[]; readonly deploys: readonly AnsweringDeploy[] } {
    const all = [...this.#underWay.values()]
    const since = performance.now() - AFTER_ANSWER_MS
    const late = this.#lastEnded.filter(({ at }) => at >= since)
    this.#underWay.clear()
    this.#lastEnded = []
    for (const { end, countOutcome } of all) {
      end()
      countOutcome?.({ noAnswer: 'app' })
    }
    return {
      labels: [...new Set(all.map(({ label }) => label))],
      deploys: [...all, ...late].flatMap(({ deploy }) => deploy ?? []),
    }
  }

  #count(
    { id, label, isSocket }: Pick<FrozenRequest, 'id' | 'label' | 'isSocket'>,
    { begin, beginSocket, deploy }: Counted,
    giveBack: () => void,
    door: DoorProcess,
  ): void {
    const endCount = isSocket ? beginSocket?.(() => door.tell({ do: 'close_socket', id })) : begin?.()
    let endSeries: (() => void) | undefined
    const end = () => {
      giveBack()
      endCount?.()
      endSeries?.()
    }
    const count = () => {
      if (isSocket) endSeries ??= this.#deps.series.open(label)
    }
    const countOutcome = isSocket ? undefined : (outcome: Outcome) => this.#deps.counts.ended(label, outcome)
    this.#underWay.set(id, { label, end, deploy, count, countOutcome, isSocket, isRouted: true })
  }

  async #find(label: string): Promise<FoundApp> {
    try {
      return await this.#deps.find(label)
    } catch (error) {
      this.#deps.onError(error, label)
      return { to: { type: 'failed' } }
    }
  }
}
