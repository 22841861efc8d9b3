import { orAborted } from '#lib/async/race.ts'
import type { Lease } from '#lib/work/lease.ts'
import { createWake } from '#lib/work/wake.ts'
import { isCrashLoop, restartDelayMs } from '../deploys/rules.ts'
import {
  type DeployRow,
  findHostedApp,
  type HostedApp,
  listCurrentDeploys,
  listFormerDeploys,
  moveDeploy,
} from '../deploys/store.ts'
import type { AppRef, Instance, InstanceEnd, Release } from '../deploys/target.ts'
import { asHost, HostLost } from './as-host.ts'
import type { HostDeps } from './deps.ts'
import { failDeploy } from './fail-deploy.ts'
import { HARMFUL, STOPPED_AS_HARMFUL } from './harmful.ts'
import { holdHere } from './hold.ts'
import { type KeptRunning, keepRunning } from './keep-running.ts'
import { probeUntilHealthy } from './probe.ts'
import { recoverDeploy } from './recover.ts'
import { removeApp } from './remove-app.ts'
import { buildDeploy, type Healthy, runDeploy, startInstance } from './run-deploy.ts'
import type { HostRecord } from './traffic.ts'
import { untilDeleted } from './until-deleted.ts'
import { writeFault } from './write-fault.ts'

/** How long requests of the former revision may take to end after a switch. */
const SWITCH_GRACE_MS = 30_000
/** How long WebSockets of the former revision stay open after a switch. */
const SWITCH_SOCKETS_MS = 30_000
/** A stop of the process leaves apps less time, because the slots wait 5 seconds for aborted jobs. */
const STOP_GRACE_MS = 3_000
/** Releases of this many former deploys are kept, for a rollback after a crash loop without a build. */
const KEPT_RELEASES = 2

type Live = { deploy: DeployRow; readonly running: KeptRunning }

/**
 * Hosts one app while this process holds its lease: runs its deploys one after another, keeps the live one running, and
 * brings the former revision back when a new one crashes again and again.
 */
export class AppHost {
  readonly #deps: HostDeps
  readonly #app: HostedApp
  readonly #lease: Lease
  readonly #signal: AbortSignal
  readonly #wake = createWake()
  #hosting: HostRecord | undefined
  #live: Live | undefined
  /** The deploy whose instances get the requests. Known before `#live`, because an instance can end at once. */
  #servingId: string | undefined
  #isCrashLooping = false
  /** A deploy whose answers ended the door, until that is recorded. */
  #harmfulId: string | undefined
  /** A live deploy that cannot be built again. It waits for a new deploy. */
  #unbuildableId: string | undefined

  constructor(deps: HostDeps, app: HostedApp, lease: Lease, signal: AbortSignal) {
    this.#deps = deps
    this.#app = app
    this.#lease = lease
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake.ring(), { once: true })
  }

  get #ref(): AppRef {
    return { id: this.#app.id, orgId: this.#app.org_id }
  }

  /** Looks again for deploys and deletion. */
  wake(): void {
    this.#wake.ring()
  }

  /** Returns when nothing is left to host, or when the signal is aborted. */
  async run(): Promise<void> {
    const { target, traffic, db, time, onError } = this.#deps
    const onFault = (error: unknown) => onError(error, this.#app.id)
    await using _hold = await holdHere(
      { db, delay: time.delay, onError: onFault },
      this.#app.id,
      await (target.keeper && orAborted(target.keeper(), this.#signal)),
      this.#signal,
    )
    try {
      const current = await listCurrentDeploys(this.#deps.db, this.#app.id)
      const wasLive = current.some(({ state }) => state === 'live')
      this.#hosting = traffic.host(this.#app.host_label, wasLive ? time.now() : undefined)
      let faults = 0
      let isAlone = false
      while (!this.#signal.aborted) {
        try {
          if (!isAlone) await this.#endOrphans()
          isAlone = true
          if ((await this.#step()) === 'done') return
          faults = 0
        } catch (error) {
          if (error instanceof HostLost) throw error
          // The database may be restarting: what runs goes on as long as the lease can be renewed.
          this.#deps.onError(error, this.#app.id)
          await this.#deps.time.delay(restartDelayMs(++faults), this.#signal)
        }
      }
    } finally {
      // Before the app is stopped, so that a check which asks it meanwhile finds out why it gets no answer.
      this.#hosting?.end()
      await this.#stopLive(STOP_GRACE_MS, 'leave')
    }
  }

  /** Ends what runs of the app and is no current deploy of it. */
  async #endOrphans(): Promise<void> {
    const { db, target } = this.#deps
    const current = await listCurrentDeploys(db, this.#app.id)
    const deploys = current.map(({ id, state }) => ({ id, isLive: state === 'live' }))
    await this.#requireLease()
    await target.endOrphans({ ...this.#ref, fence: this.#lease.fence }, deploys)
  }

  /** Throws HostLost if another process hosts the app. A keeper that was started anew has forgotten who may host it. */
  async #requireLease(): Promise<void> {
    await asHost(this.#deps.db, this.#lease, async () => {})
  }

  async #step(): Promise<'again' | 'done'> {
    const { db } = this.#deps
    const app = await findHostedApp(db, this.#app.id)
    if (!app) return 'done'
    if (app.state === 'deleting') {
      await this.#stopLive(SWITCH_GRACE_MS)
      await this.#deps.target.endOrphans({ ...this.#ref, fence: this.#lease.fence }, [])
      await this.#deps.target.prune(this.#ref, [])
      await removeApp(db, app.id, this.#lease)
      return 'done'
    }
    if (this.#isCrashLooping) await this.#returnToFormer()
    if (this.#harmfulId !== undefined) await this.#failHarmful(this.#harmfulId)
    const deploys = await listCurrentDeploys(db, app.id)
    await this.#stopUnlessLive(deploys)
    // Nothing is under way here, so the process that began it died, or could not record how it ended.
    if (await recoverDeploy(this.#deps, this.#app, this.#lease, deploys)) {
      await this.#prune()
      return 'again'
    }
    const live = deploys.find(({ state }) => state === 'live')
    if (live && this.#servingId !== live.id && this.#unbuildableId !== live.id) await this.#resume(live)
    const queued = deploys.find(({ state }) => state === 'queued')
    if (queued) await this.#deploy(queued)
    else if (deploys.length === 0) return 'done'
    else await this.#wake.next()
    return 'again'
  }

  async #deploy(queued: DeployRow): Promise<void> {
    const former = this.#live
    const takeOver = ({ deploy, release, instance }: Healthy) => {
      this.#serve(deploy, release, instance)
      return (how: 'stop' | 'leave') => this.#returnTo(former, how)
    }
    const onHarmful = (deploy: DeployRow) => this.#onHarmful(deploy)
    const context = { app: this.#app, lease: this.#lease, takeOver, onHarmful }
    const live = await this.#untilDeleted((signal) => runDeploy(this.#deps, queued, { ...context, signal }))
    if (!live) return
    this.#live!.deploy = live
    if (former) await this.#untilDeleted((signal) => stopFormer(former, signal))
    await this.#prune()
  }

  /** Takes back that a deploy took the traffic over. */
  async #returnTo(former: Live | undefined, how: 'stop' | 'leave'): Promise<void> {
    const failed = this.#live
    this.#live = former
    this.#servingId = former?.deploy.id
    this.#deps.traffic.route(this.#app.host_label, former?.running.served())
    if (failed !== former) await failed?.running[how](0)
  }

  /** Starts the live deploy again after this process took the app over. */
  async #resume(deploy: DeployRow): Promise<void> {
    const { target } = this.#deps
    const release = (await target.findRelease(this.#ref, deploy.id)) ?? (await this.#rebuild(deploy))
    if (release) this.#serve(deploy, release, undefined)
  }

  /** Builds a live deploy whose release is gone, for example because the app moved to another machine. */
  async #rebuild(deploy: DeployRow): Promise<Release | undefined> {
    const built = await this.#untilDeleted(async (signal) => {
      try {
        return await buildDeploy(this.#deps, deploy, signal)
      } catch (error) {
        if (signal.aborted) return undefined
        throw error
      }
    })
    if (!built) return undefined
    if (built.ok) return built.release
    writeFault(this.#deps.writeLog, deploy, `The app cannot be built again: ${built.detail}`)
    this.#unbuildableId = deploy.id
    return undefined
  }

  /** Keeps the deploy running and sends requests to it from now on. `first` is an instance that runs already. */
  #serve(deploy: DeployRow, release: Release, first: Instance | undefined): void {
    const { time, traffic } = this.#deps
    const { fence } = this.#lease
    const crashes: Date[] = []
    this.#servingId = deploy.id
    this.#isCrashLooping = false
    if (first) this.#hosting?.served()
    const running = keepRunning(first, {
      time,
      start: async (signal) => {
        await this.#requireLease()
        return startInstance(this.#deps, {
          deploy,
          release,
          fence,
          onHarmful: () => this.#onHarmful(deploy),
          isResumed: true,
          signal,
        })
      },
      untilReady: async (instance, signal) => {
        const probed = await probeUntilHealthy(instance, deploy.health_path ?? '/', time, signal)
        if (probed.ok) this.#hosting?.served()
      },
      onChange: (instance) => {
        if (this.#servingId === deploy.id) traffic.route(this.#app.host_label, instance)
      },
      onEnd: (end, at) => {
        // Not the app's fault.
        if (end.isOurs) this.#hosting?.lost(at)
        else crashes.push(at)
        this.#onCrash(deploy, crashes, end)
      },
    })
    this.#live = { deploy, running }
  }

  #onCrash(deploy: DeployRow, crashes: readonly Date[], { description, goesOn }: InstanceEnd): void {
    if (!goesOn) writeFault(this.#deps.writeLog, deploy, `The app ended (${description}) and is started again.`)
    const liveAt = this.#live?.deploy.live_at
    if (this.#servingId !== deploy.id || !liveAt || !isCrashLoop(liveAt, crashes)) return
    this.#isCrashLooping = true
    this.#wake.ring()
  }

  /** Fails the deploy that crashes and makes the one before it live again, in one transaction. */
  async #returnToFormer(): Promise<void> {
    this.#isCrashLooping = false
    const crashing = this.#live
    if (!crashing) return
    const { db, time } = this.#deps
    const [former] = await listFormerDeploys(db, this.#app.id, 1)
    const detail = former
      ? 'The app ended again and again after the switch. The former revision serves again.'
      : 'The app ended again and again after the switch, and there is no former revision.'
    await asHost(db, this.#lease, async (tx) => {
      const at = time.now()
      if (!(await failDeploy(tx, this.#app, crashing.deploy, ['live'], { code: 'CRASH_LOOP', detail, at }))) return
      if (former) await moveDeploy(tx, former.id, ['retired'], { state: 'live' })
    })
    await this.#stopLive(0)
  }

  /** Stops the deploy at once: a build of the next one may take minutes until the next step. */
  #onHarmful(deploy: DeployRow): void {
    writeFault(this.#deps.writeLog, deploy, STOPPED_AS_HARMFUL)
    this.#harmfulId = deploy.id
    if (this.#live?.deploy.id === deploy.id) {
      this.#deps.traffic.route(this.#app.host_label, undefined)
      void this.#live.running.stop(0)
    }
    // The next step tries again if this fails.
    void this.#failHarmful(deploy.id)
      .catch(() => {})
      .finally(() => this.#wake.ring())
  }

  /** The revision before it may do the same, so that it does not take its place. */
  async #failHarmful(deployId: string): Promise<void> {
    const { db, time } = this.#deps
    const deploy = (await listCurrentDeploys(db, this.#app.id)).find(({ id }) => id === deployId)
    // One that is starting can still become live.
    if (deploy?.state === 'starting') return
    const failure = { ...HARMFUL, at: time.now() }
    if (deploy) await asHost(db, this.#lease, (tx) => failDeploy(tx, this.#app, deploy, ['live'], failure))
    if (this.#harmfulId === deployId) this.#harmfulId = undefined
  }

  /** Stops what was live until its deploy failed. */
  async #stopUnlessLive(deploys: readonly DeployRow[]): Promise<void> {
    const id = this.#live?.deploy.id
    const isLive = deploys.some((deploy) => deploy.id === id && deploy.state === 'live')
    if (id !== undefined && !isLive) await this.#stopLive(0)
  }

  #untilDeleted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { db, onError } = this.#deps
    return untilDeleted({ db, wake: this.#wake, appId: this.#app.id, signal: this.#signal, onError }, work)
  }

  async #stopLive(graceMs: number, how: 'stop' | 'leave' = 'stop'): Promise<void> {
    const live = this.#live
    this.#live = undefined
    this.#servingId = undefined
    if (!live) return
    const { traffic } = this.#deps
    if (how === 'leave') traffic.leave(this.#app.host_label)
    else traffic.route(this.#app.host_label, undefined)
    await live.running[how](graceMs)
  }

  /** Removes what belongs to deploys that have failed, were superseded or retired long ago. */
  async #prune(): Promise<void> {
    const { db, target } = this.#deps
    const current = await listCurrentDeploys(db, this.#app.id)
    const former = await listFormerDeploys(db, this.#app.id, KEPT_RELEASES)
    const keptIds = [...current, ...former].map(({ id }) => id)
    await target.prune(this.#ref, keptIds)
  }
}

function stopFormer({ running }: Live, signal: AbortSignal): Promise<void> {
  return running.stop(SWITCH_GRACE_MS, { ms: SWITCH_SOCKETS_MS, signal })
}
