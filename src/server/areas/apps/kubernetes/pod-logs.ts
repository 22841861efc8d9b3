import type { OnLine } from '../deploys/target.ts'
import type { LogRate } from '../logs/log-rate.ts'
import type { ClusterDeps } from './client.ts'
import { FROM_START, followLog, type LogPosition, positionAfter } from './follow-log.ts'
import { endsOf, type Pod, statusOf } from './pod.ts'

type Container = 'fetch' | 'build' | 'app'
const INIT_CONTAINERS = ['fetch', 'build'] as const
const CONTAINERS = [...INIT_CONTAINERS, 'app'] as const

type Deps = ClusterDeps & {
  readonly namespace: string
  /** Creates the rate of one log of the deploy. */
  readonly logRate: () => LogRate
  readonly signal: AbortSignal
}

/** Follows the logs of the containers of one deploy, each run of each container once. */
export class PodLogs {
  readonly #deps: Deps
  /** Runs of containers that are followed or were. */
  readonly #runs = new Set<string>()
  readonly #positions = new Map<string, LogPosition>()
  readonly #following = new Map<Promise<void>, Container>()
  readonly #onLine = new Map<Container, OnLine>()
  #pods: readonly Pod[] = []
  #after: Date | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  collectBuild(onLine: OnLine): void {
    for (const name of INIT_CONTAINERS) this.#onLine.set(name, onLine)
    this.#followNew()
  }

  /**
   * Also hands on init containers if nothing else does: of a pod that is made later, for example after its node was
   * removed. `after`: time of the newest line that is stored already.
   */
  collectApp(onLine: OnLine, after: Date | undefined): void {
    this.#after ??= after
    if (!this.#onLine.has('build')) {
      // Another process has stored the lines of init containers that have ended.
      for (const pod of this.#pods) for (const name of INIT_CONTAINERS) this.#runs.add(runKey(pod, name, 0))
      for (const name of INIT_CONTAINERS) this.#onLine.set(name, onLine)
    }
    this.#onLine.set('app', onLine)
    this.#followNew()
  }

  look(pods: readonly Pod[]): void {
    this.#pods = pods
    this.#followNew()
  }

  /** Resolves when the logs of init containers that have ended are read. */
  async buildRead(): Promise<void> {
    await Promise.all([...this.#following].filter(([, name]) => name !== 'app').map(([following]) => following))
  }

  /** Resolves when nothing is read any more, after the signal was aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#following.keys())
  }

  #followNew(): void {
    for (const pod of this.#pods) {
      for (const container of CONTAINERS) {
        const onLine = this.#onLine.get(container)
        const status = statusOf(pod, container)
        if (!onLine || !status || !(status.state.running || endsOf(status) > 0)) continue
        const key = runKey(pod, container, status.restartCount)
        if (this.#runs.has(key)) continue
        this.#runs.add(key)
        const following = this.#follow(pod, container, status.restartCount, onLine)
        this.#following.set(following, container)
        void following.finally(() => this.#following.delete(following))
      }
    }
  }

  #follow({ metadata }: Pod, container: Container, run: number, onLine: OnLine): Promise<void> {
    const { namespace, signal } = this.#deps
    const hasEnded = () => {
      const pod = this.#pods.find(({ metadata: { uid } }) => uid === metadata.uid)
      const status = pod && statusOf(pod, container)
      return !status || endsOf(status) > run
    }
    const emit = ({ at, text }: { at?: Date; text: string }) => onLine({ stream: 'stdout', text, ...(at && { at }) })
    const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/log`
    const position = this.#position(`${metadata.uid}/${container}`)
    const rate = this.#deps.logRate()
    return followLog(this.#deps, { path, container, position, hasEnded, onLine: emit, rate }, signal)
  }

  #position(key: string): LogPosition {
    const storedPosition = this.#positions.get(key)
    if (storedPosition) return storedPosition
    const first = this.#after ? positionAfter(this.#after) : { ...FROM_START }
    this.#positions.set(key, first)
    return first
  }
}

function runKey({ metadata: { uid } }: Pod, container: Container, run: number): string {
  return `${uid}/${container}/${run}`
}
