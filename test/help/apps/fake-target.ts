import type { BuildResult, Instance, Target } from '../../../src/server/areas/apps/deploys/target.ts'

type InstanceEnd = Awaited<Instance['ended']>

/** How the next deploy of a fake target behaves. */
type Behaviour = {
  build?: BuildResult
  buildHangs?: boolean
  startFails?: string
  endsAtOnce?: string
  isHarmful?: boolean
  status?: number
  refuses?: boolean
}

export type FakeTarget = Target & {
  readonly builds: number
  next(behaviour: Behaviour): void
  /** The deploys of the app whose instances run, oldest first. */
  running(appId: string): string[]
  /** Ends the newest instance of the app, if one runs. */
  crash(appId: string, description: string, how?: Pick<InstanceEnd, 'isOurs' | 'goesOn'>): void
  /** Reports that answers of the newest instance of the app end the door. */
  harm(appId: string): void
  /** Lets the next calls of `endOrphans` fail. */
  failOrphans(times: number): void
  /** The next request waits until it is released. */
  holdNextRequest(): { arrived: Promise<void>; release: () => void }
}

type Running = { appId: string; deployId: string; end: (end: InstanceEnd) => void; onHarmful: () => void }

/** A deploy target in memory, for tests of what decides about deploys. */
export function createFakeTarget(): FakeTarget {
  let builds = 0
  let orphanFaults = 0
  let next: Behaviour = {}
  let held: { arrive: () => void; released: Promise<void> } | undefined
  const behaviours = new Map<string, Behaviour>()
  const releases = new Set<string>()
  const instances = new Set<Running>()

  const start: Target['start'] = async ({ deploy: { appId }, release: { deployId }, onHarmful }) => {
    const behaviour = behaviours.get(deployId) ?? {}
    if (behaviour.startFails) throw new Error(behaviour.startFails)
    let end!: (end: InstanceEnd) => void
    const ended = new Promise<InstanceEnd>((resolve) => {
      end = resolve
    })
    const running: Running = { appId, deployId, end, onHarmful }
    instances.add(running)
    const gone = ended.then(() => void instances.delete(running))
    if (behaviour.isHarmful) onHarmful()
    if (behaviour.endsAtOnce) end({ description: behaviour.endsAtOnce })
    const stop = async () => {
      end({ description: 'stopped' })
      await gone
    }
    const instance: Instance = {
      address: { socket: `/nowhere/${deployId}` },
      fetch: async () => {
        if (behaviour.refuses || !instances.has(running)) throw new Error('connection refused')
        const holding = held
        held = undefined
        holding?.arrive()
        await holding?.released
        return new Response(`answer of ${deployId}`, { status: behaviour.status ?? 200 })
      },
      ended,
      stop,
      leave: stop,
    }
    return instance
  }

  return {
    get builds() {
      return builds
    },
    next: (behaviour) => {
      next = behaviour
    },
    running: (appId) => [...instances].filter((one) => one.appId === appId).map(({ deployId }) => deployId),
    crash: (appId, description, how) => {
      const newest = [...instances].filter((one) => one.appId === appId).at(-1)
      newest?.end({ description, ...how })
    },
    harm: (appId) =>
      [...instances]
        .filter((one) => one.appId === appId)
        .at(-1)
        ?.onHarmful(),
    holdNextRequest: () => {
      let arrive!: () => void
      let release!: () => void
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      held = { arrive, released }
      return { arrived, release }
    },
    build: async ({ deploy: { deployId }, signal }) => {
      builds++
      const behaviour = next
      next = {}
      behaviours.set(deployId, behaviour)
      if (behaviour.buildHangs) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
        return { ok: false, code: 'BUILD_FAILED', detail: 'aborted' }
      }
      if (behaviour.build) return behaviour.build
      releases.add(deployId)
      return { ok: true, release: { deployId } }
    },
    findRelease: async (_, deployId) => (releases.has(deployId) ? { deployId } : undefined),
    start,
    prune: async (_, keep) => {
      for (const id of releases) if (!keep.includes(id)) releases.delete(id)
    },
    failOrphans: (times) => {
      orphanFaults = times
    },
    endOrphans: async () => {
      if (orphanFaults-- > 0) throw new Error('orphans cannot be ended')
    },
    warnings: async () => [],
  }
}
