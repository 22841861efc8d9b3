import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AppTrial } from '#edge/app-trials.ts'
import { rememberFound } from '#lib/processes/bubblewrap.ts'
import { findCpuGroups } from '#lib/processes/cpu-group.ts'
import { removeFolder } from '#lib/processes/remove-folder.ts'
import type { Target } from '../deploys/target.ts'
import type { AppNetwork } from '../door/network.ts'
import { SharedLogRate } from '../logs/log-rate.ts'
import { buildRelease } from './build.ts'
import { endOrphans } from './end-orphans.ts'
import { layoutOf } from './layout.ts'
import { DEFAULT_LIMITS, type ProcessLimits } from './limits.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { Machine } from './sandbox.ts'
import { startProcess } from './start.ts'
import { runTrial, type TrialRequest } from './trial.ts'
import { removeAbandonedTrials } from './trial-folder.ts'
import type { Unsandboxed } from './unsandboxed.ts'
import { createUserIds } from './users.ts'
import { findWalls } from './walls.ts'

type ProcessTargetOptions = {
  readonly dataDir: string
  /** Address of svc's own API, which apps may always reach. Undefined until it is known. */
  readonly apiOrigin: () => string | undefined
  /** The way to apps and their way out. */
  readonly network: AppNetwork
  readonly onError: (error: unknown) => void
  readonly limits?: Partial<ProcessLimits>
  /** What may run where there is no sandbox. */
  readonly unsandboxed: Unsandboxed
  /** Where bubblewrap is looked for. */
  readonly bubblewrapPlaces?: readonly string[]
}

type ProcessTarget = Target & {
  /** Tries files of an app without network and variables, see `runTrial`. One trial runs at a time. */
  readonly runTrial: (request: TrialRequest) => Promise<AppTrial>
}

/** Runs apps as processes of this machine, in bubblewrap where that works. */
export function createProcessTarget(options: ProcessTargetOptions): ProcessTarget {
  const { onError } = options
  // Sandboxes are made in another folder than the one that svc runs in.
  const dataDir = resolve(options.dataDir)
  const machine: Machine = {
    dataDir,
    network: options.network,
    apiOrigin: options.apiOrigin,
    users: createUserIds(),
    cpuGroups: findCpuGroups(),
    unsandboxed: options.unsandboxed,
    walls: rememberFound(() => findWalls(dataDir, options.bubblewrapPlaces)),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    logRate: new SharedLogRate(),
    pidFile: async (appId) => {
      const { running } = layoutOf(dataDir, appId)
      await mkdir(running, { recursive: true, mode: 0o700 })
      return join(running, randomBytes(6).toString('hex'))
    },
  }
  // Tried now, so that the start need not wait for the result.
  void machine.walls()
  removeAbandonedTrials(dataDir, onError).catch(onError)
  const inTurn = oneAtATime()
  return {
    runTrial: (request) => inTurn(request.signal, () => runTrial(request, machine, onError)),
    build: (request) => buildRelease(request, machine, onError),
    start: (request) => startProcess(request, machine),
    findRelease: async ({ id }, deployId) => {
      const found = await lstat(layoutOf(dataDir, id).release(deployId)).catch(() => undefined)
      return found?.isDirectory() ? { deployId } : undefined
    },
    prune: ({ id }, keep) => prune(dataDir, id, keep, onError),
    // Nothing of a former process serves any more, so nothing is kept.
    endOrphans: ({ id }) => endOrphans(layoutOf(dataDir, id).running),
    warnings: async () => {
      const found = await machine.walls()
      if ('missing' in found) return [withoutSandbox(found.missing, options.unsandboxed)]
      return machine.cpuGroups === undefined ? [WITHOUT_GROUPS] : []
    },
  }
}

async function prune(dataDir: string, appId: string, keep: readonly string[], onError: (error: unknown) => void) {
  const { folder, releases, builds, running } = layoutOf(dataDir, appId)
  for (const place of [releases, builds]) {
    for (const name of await namesIn(place)) {
      if (!keep.includes(name)) await removeFolder(join(place, name), onError)
    }
  }
  // Nothing is left of an app that is deleted. Folders that hold something stay.
  for (const each of [releases, builds, running, folder]) await rmdir(each).catch(() => {})
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

const WITHOUT_GROUPS =
  'This machine lets svc make no groups of processor time, so apps and builds run only when nothing else wants the ' +
  'processor. Their memory and disk are watched, and one that exceeds a limit is ended within a second.'

function withoutSandbox(missing: string, allowed: Unsandboxed): string {
  if (allowed !== 'all') {
    return (
      `No app but the bundled example can run, because ${missing}. Install bubblewrap 0.8 or later and bash (on Debian: ` +
      'apt-get install bubblewrap) and restart. With SVC_ALLOW_UNSANDBOXED_APPS=true apps run without a sandbox.'
    )
  }
  return (
    `Apps run WITHOUT A SANDBOX, because ${missing}. Every app and every build can read and change what this server ` +
    'can, its secrets and all databases included, and reach its whole network. Deploy only what you would run as this ' +
    'user yourself. Install bubblewrap 0.8 or later (on Debian: apt-get install bubblewrap) and restart.'
  )
}
