import type { DoorProcess } from './door-process.ts'
import type { AnsweringDeploy } from './harm/suspects.ts'
import type { AppAddress, FromDoor, NoRoute } from './messages.ts'
import { Slots } from './slots.ts'

export type FoundApp =
  | {
      readonly to: { readonly type: 'app'; readonly address: AppAddress }
      /** Counts the request until the result is called. */
      readonly begin?: () => () => void
      /** The deploy that answers, where the address was not attached in this process. */
      readonly deploy?: AnsweringDeploy
    }
  | { readonly to: { readonly type: 'worker'; readonly address: AppAddress } | NoRoute }

type UnderWay = { readonly label: string; readonly end: () => void; readonly deploy: AnsweringDeploy | undefined }

type Deps = {
  readonly find: (label: string) => Promise<FoundApp>
  readonly deployAt: (address: AppAddress) => AnsweringDeploy | undefined
  readonly recordedAs: (deploy: AnsweringDeploy | undefined) => string | undefined
  readonly onError: (error: unknown, label: string) => void
}

/** An error that an answer caused may come this long after it was read. */
const AFTER_ANSWER_MS = 1_000
const MAX_LAST_ENDED = 32

/** The requests of visitors that one door has under way. svc counts them, so that none is lost when the door dies. */
export class RoutedRequests {
  readonly #deps: Deps
  readonly #slots = new Slots()
  readonly #underWay = new Map<number, UnderWay>()
  #lastEnded: { readonly deploy: AnsweringDeploy; readonly at: number }[] = []

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends the door the address for a request, and counts the request until it has ended. */
  async route({ id, label }: Extract<FromDoor, { is: 'asked' }>, door: DoorProcess): Promise<void> {
    if (this.#underWay.has(id)) return door.kill()
    const giveBack = this.#slots.take(label)
    if (!giveBack) return door.tell({ do: 'route', id, to: { type: 'busy' } })
    const nobody: UnderWay = { label, end: () => {}, deploy: undefined }
    this.#underWay.set(id, nobody)
    const found = await this.#find(label)
    // It has ended meanwhile. Until now its slot was taken, because the lookup was.
    if (this.#underWay.get(id) !== nobody) return giveBack()
    if (found.to.type !== 'app') {
      this.#underWay.set(id, { label, end: giveBack, deploy: undefined })
      return door.tell({ do: 'route', id, to: found.to })
    }
    const { to, begin, deploy = this.#deps.deployAt(to.address) } = found as Extract<FoundApp, { to: { type: 'app' } }>
    const endCount = begin?.()
    const end = () => {
      giveBack()
      endCount?.()
    }
    this.#underWay.set(id, { label, end, deploy })
    door.tell({ do: 'route', id, to: { ...to, recordedAs: this.#deps.recordedAs(deploy) } })
  }

  end(id: number): void {
    const ended = this.#underWay.get(id)
    if (!ended) return
    this.#underWay.delete(id)
    ended.end()
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
    for (const { end } of all) end()
    return {
      labels: [...new Set(all.map(({ label }) => label))],
      deploys: [...all, ...late].flatMap(({ deploy }) => deploy ?? []),
    }
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
