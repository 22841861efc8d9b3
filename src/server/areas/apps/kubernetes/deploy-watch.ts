import { endsWithin } from '#lib/async/race.ts'
import type { BuildResult, DeployFacts, OnLine } from '../deploys/target.ts'
import type { SharedLogRate } from '../logs/log-rate.ts'
import type { ClusterDeps } from './client.ts'
import { findEnds, type SeenEnds } from './ends.ts'
import { START_LIMIT_SECONDS } from './manifests.ts'
import { DEPLOY_LABEL, nameOf } from './names.ts'
import { type Pod, readPods } from './pod.ts'
import { PodLogs } from './pod-logs.ts'
import { judgeRollout, type Rollout, tooSlow } from './rollout.ts'
import { watchObjects } from './watch.ts'

type WatchDeps = ClusterDeps & {
  readonly now: () => Date
  readonly memoryBytes: number
  readonly logRate: SharedLogRate
  readonly buildMemoryBytes: number
}

/** How long the Deployment's own deadline may be late, before svc gives up by itself. */
const DEADLINE_MARGIN_MS = 60_000
/** How long the end of a build waits for its last lines. */
const LAST_LINES_MS = 2_000

/** Watches the pods of one deploy: how its rollout goes, when its app ends, and what it writes. */
export class DeployWatch {
  readonly #deps: WatchDeps
  readonly #namespace: string
  readonly #deploy: DeployFacts
  readonly #stopping = new AbortController()
  readonly #logs: PodLogs
  readonly #watching: Promise<void>
  #waiters: (() => void)[] = []
  #pods: readonly Pod[] | undefined
  #deployment: unknown
  #seen: SeenEnds | undefined
  #ends: string[] = []

  constructor(deps: WatchDeps, namespace: string, deploy: DeployFacts) {
    this.#deps = deps
    this.#namespace = namespace
    this.#deploy = deploy
    this.#logs = new PodLogs({
      ...deps,
      logRate: () => deps.logRate.ofStream(deploy.appId),
      namespace,
      signal: this.#stopping.signal,
    })
    this.#watching = this.#watchPods()
  }

  /** Waits until the app was started, or the rollout failed. Rejects with the reason of the signal when that aborts. */
  async untilStarted(onLine: OnLine, signal: AbortSignal): Promise<BuildResult> {
    this.#logs.collectBuild(onLine)
    const over = new AbortController()
    const watching = this.#watchDeployment(AbortSignal.any([over.signal, this.#stopping.signal]))
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake)
    try {
      return await this.#settled(signal)
    } finally {
      signal.removeEventListener('abort', wake)
      over.abort()
      await watching
      // Followers of the deploy stop reading at its end, so the last lines of the build come before it.
      if (!signal.aborted) await endsWithin(LAST_LINES_MS, this.#logs.buildRead())
    }
  }

  async #settled(signal: AbortSignal): Promise<BuildResult> {
    const { now } = this.#deps
    const limitMs = START_LIMIT_SECONDS * 1000 + DEADLINE_MARGIN_MS
    const deadline = now().getTime() + limitMs
    const timer = setTimeout(() => this.#wake(), limitMs)
    try {
      for (;;) {
        signal.throwIfAborted()
        const rollout = this.#judge(now().getTime() >= deadline)
        if (rollout.type === 'started') return { ok: true, release: { deployId: this.#deploy.deployId } }
        if (rollout.type === 'failed') return { ok: false, code: rollout.code, detail: rollout.detail }
        await this.#change()
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #judge(isOver: boolean): Rollout {
    if (this.#pods === undefined) return { type: 'waiting' }
    const rollout = judgeRollout(this.#deployment, this.#pods, this.#deps)
    return rollout.type === 'waiting' && isOver ? tooSlow(this.#pods) : rollout
  }

  /** Hands on what the app writes. `after`: time of the newest line that is stored already. */
  async collectApp(onLine: OnLine, after: () => Promise<Date | undefined>): Promise<void> {
    while (this.#pods === undefined && !this.#stopping.signal.aborted) await this.#change()
    this.#logs.collectApp(onLine, await after())
  }

  /** Resolves with the next end of the app that was not handed on yet. */
  async nextEnd(): Promise<string> {
    for (;;) {
      const end = this.#ends.shift()
      if (end !== undefined) return end
      if (this.#stopping.signal.aborted) return 'stopped'
      await this.#change()
    }
  }

  /** Waits until no pod is left, and for this time at most. */
  async untilGone(graceMs: number): Promise<void> {
    const over = new AbortController()
    const timer = setTimeout(() => {
      over.abort()
      this.#wake()
    }, graceMs)
    const isOver = () => over.signal.aborted || this.#stopping.signal.aborted
    while (!isOver() && (this.#pods?.length ?? 1) > 0) await this.#change()
    clearTimeout(timer)
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#watching
    await this.#logs.ended()
  }

  async #watchPods(): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods`
    const query = { labelSelector: `${DEPLOY_LABEL}=${this.#deploy.deployId}` }
    for await (const objects of watchObjects(this.#deps, path, query, this.#stopping.signal)) {
      this.#pods = readPods(objects)
      const { seen, ends } = findEnds(this.#seen, this.#pods, this.#deps.memoryBytes)
      this.#seen = seen
      this.#ends.push(...ends)
      this.#logs.look(this.#pods)
      this.#wake()
    }
  }

  async #watchDeployment(signal: AbortSignal): Promise<void> {
    const path = `/apis/apps/v1/namespaces/${this.#namespace}/deployments`
    const query = { fieldSelector: `metadata.name=${nameOf(this.#deploy.deployId)}` }
    for await (const [deployment] of watchObjects(this.#deps, path, query, signal)) {
      this.#deployment = deployment
      this.#wake()
    }
  }

  #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters.push(resolve)
    return promise
  }

  #wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve()
  }
}
