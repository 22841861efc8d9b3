import { lstat, mkdir, readdir, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { rememberFound } from '#lib/processes/bubblewrap.ts'
import { type ControlGroups, findControlGroups } from '#lib/processes/control-groups/control-groups.ts'
import { findDiskFault, unmountLeftDisks } from '#lib/processes/sized-disk.ts'
import type { AppTrial } from '#ports/app-trials.ts'
import type { Target } from '../deploys/target.ts'
import type { AppNetwork } from '../door/network.ts'
import { buildRelease } from './build/build.ts'
import { runInTime } from './build/run-in-time.ts'
import { runTrial, type TrialRequest } from './build/trial.ts'
import { removeAbandonedTrials } from './build/trial-folder.ts'
import { layoutOf } from './layout.ts'
import { describeLimits, type LimitsInForce } from './limits/describe-limits.ts'
import { createDiskTotals } from './limits/disk-totals.ts'
import { DEFAULT_LIMITS, type ProcessLimits } from './limits/limits.ts'
import type { Machine } from './machine.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { findSandbox } from './sandbox/find-sandbox.ts'
import { createLocalSandboxes, createSandboxMachine, type Sandboxes } from './sandbox/sandboxes.ts'
import type { Unsandboxed } from './sandbox/unsandboxed.ts'
import { startProcess } from './start.ts'

type ProcessTargetOptions = Pick<Machine, 'dataDir' | 'apiOrigin' | 'unsandboxed'> & {
  readonly network: AppNetwork
  readonly tokens?: Machine['tokens']
  /** Where sandboxes are made. Undefined: in this process. */
  readonly sandboxes?: Sandboxes | undefined
  readonly onError: (error: unknown) => void
  readonly limits?: Partial<ProcessLimits>
  /** Where bubblewrap is looked for. */
  readonly bubblewrapPlaces?: readonly string[]
  /** Returns the apps of an organization, whose files count together. */
  readonly appIdsOf: (orgId: string) => Promise<readonly string[]>
  /** Finds the control groups that limit apps. */
  readonly findGroups?: (dataDir: string) => Promise<ControlGroups>
  /** Returns why builds cannot have a file system of their own below a folder. */
  readonly findDiskFault?: typeof findDiskFault
}

type ProcessTarget = Target & {
  /** Tries files of an app without network and variables, see `runTrial`. One trial runs at a time. */
  readonly runTrial: (request: TrialRequest) => Promise<AppTrial>
  /** Returns which limits of apps and builds hold here, and by what. Undefined where nothing has a sandbox. */
  readonly limitsInForce: () => Promise<LimitsInForce | undefined>
}

/** Runs apps as processes of this machine, in bubblewrap where that works. */
export function createProcessTarget(options: ProcessTargetOptions): ProcessTarget {
  const { onError } = options
  // Sandboxes are made in another folder than the one that svc runs in.
  const dataDir = resolve(options.dataDir)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const findGroups = options.findGroups ?? findControlGroups
  const findFault = options.findDiskFault ?? findDiskFault
  let diskFault: Promise<string | undefined> | undefined
  const unmounted = unmountLeftDisks(dataDir).catch(onError)
  const machine: Machine = {
    dataDir,
    network: options.network,
    apiOrigin: options.apiOrigin,
    tokens: options.tokens,
    sandboxes: options.sandboxes ?? createLocalSandboxes(createSandboxMachine({ ...options, dataDir })),
    diskTotals: createDiskTotals({
      dataDir,
      totalBytes: limits.organization.diskBytes,
      appIdsOf: options.appIdsOf,
    }),
    // Tried when the first build needs it: it takes a tenth of a second.
    diskFault: () => (diskFault ??= tryDisk(join(dataDir, 'trials'), findFault)),
    unmounted,
    unsandboxed: options.unsandboxed,
    walls: rememberFound(() => findSandbox(dataDir, options.bubblewrapPlaces)),
    limits,
  }
  // Tried now, so that the start need not wait for the result.
  void machine.walls()
  unmounted.then(() => removeAbandonedTrials(dataDir, onError)).catch(onError)
  const inTurn = oneAtATime()
  return {
    runTrial: (request) =>
      inTurn(request.signal, () => runInTime(request, (timed) => runTrial(timed, machine, onError))),
    build: (request) => buildRelease(request, machine, onError),
    start: (request) => startProcess(request, machine),
    findRelease: async ({ id }, deployId) => {
      const found = await lstat(layoutOf(dataDir, id).release(deployId)).catch(() => undefined)
      return found?.isDirectory() ? { deployId } : undefined
    },
    prune: async ({ id }, keep) => {
      await machine.unmounted
      await prune(dataDir, id, keep, onError)
    },
    keeper: machine.sandboxes.keeper && (() => machine.sandboxes.keeper!()),
    // One that was not live yet is built and started again.
    endOrphans: ({ id, fence }, deploys) =>
      machine.sandboxes.endOrphans(
        { appId: id, fence },
        deploys.filter(({ isLive }) => isLive).map((deploy) => deploy.id),
      ),
    warnings: async () => {
      const found = await machine.walls()
      return 'missing' in found ? [withoutSandbox(found.missing, options.unsandboxed)] : []
    },
    limitsInForce: async () => {
      if ('missing' in (await machine.walls())) return undefined
      return describeLimits((await findGroups(dataDir)).versions, await machine.diskFault())
    },
  }
}

async function prune(dataDir: string, appId: string, keep: readonly string[], onError: (error: unknown) => void) {
  const { folder, releases, builds, running, settings } = layoutOf(dataDir, appId)
  for (const place of [releases, builds, settings]) {
    for (const name of await readdir(place).catch(() => [])) {
      if (!keep.includes(name)) await removeFolder(join(place, name), onError)
    }
  }
  // Nothing is left of an app that is deleted. Folders that hold something stay.
  for (const each of [releases, builds, running, settings, folder]) await rmdir(each).catch(() => {})
}

/** Tries the disk in a folder that is removed with abandoned trials. */
async function tryDisk(folder: string, findFault: typeof findDiskFault): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return findFault(folder)
}

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
