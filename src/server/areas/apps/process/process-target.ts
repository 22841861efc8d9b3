import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { rememberFound } from '#lib/processes/bubblewrap.ts'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import { removeFolder } from '#lib/processes/remove-folder.ts'
import type { Target } from '../deploys/target.ts'
import { buildRelease } from './build.ts'
import { layoutOf } from './layout.ts'
import { DEFAULT_LIMITS, type ProcessLimits } from './limits.ts'
import type { Machine } from './sandbox.ts'
import { startProcess } from './start.ts'
import { createUserIds } from './users.ts'
import { findWalls } from './walls.ts'
import { PLACE, removeWorkplace } from './workplace.ts'

type ProcessTargetOptions = {
  readonly dataDir: string
  /** Address of svc's own API, which apps may always reach. Undefined until it is known. */
  readonly apiOrigin: () => string | undefined
  readonly onError: (error: unknown) => void
  readonly limits?: Partial<ProcessLimits>
  /** Where bubblewrap is looked for. */
  readonly bubblewrapPlaces?: readonly string[]
}

/** Runs apps as processes of this machine, in bubblewrap where that works. */
export function createProcessTarget(options: ProcessTargetOptions): Target {
  const { onError } = options
  // Sandboxes are made in another folder than the one that svc runs in.
  const dataDir = resolve(options.dataDir)
  const machine: Machine = {
    dataDir,
    apiOrigin: options.apiOrigin,
    users: createUserIds(),
    walls: rememberFound(() => findWalls(dataDir, options.bubblewrapPlaces)),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    pidFile: async (appId) => {
      const { running } = layoutOf(dataDir, appId)
      await mkdir(running, { recursive: true, mode: 0o700 })
      return join(running, randomBytes(6).toString('hex'))
    },
  }
  return {
    build: (request) => buildRelease(request, machine, onError),
    start: (request) => startProcess(request, machine),
    findRelease: async (appId, deployId) => {
      const found = await lstat(layoutOf(dataDir, appId).release(deployId)).catch(() => undefined)
      return found?.isDirectory() ? { deployId } : undefined
    },
    prune: (appId, keep) => prune(dataDir, appId, keep, onError),
    endOrphans: (appId) => endOrphans(layoutOf(dataDir, appId).running),
    warnings: async () => {
      const found = await machine.walls()
      return 'missing' in found ? [withoutSandbox(found.missing)] : []
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

async function endOrphans(running: string): Promise<void> {
  for (const name of await namesIn(running)) {
    const file = join(running, name)
    await endFormerProcess(file)
    if (name.endsWith(PLACE)) await removeWorkplace(file)
    await rm(file, { force: true })
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

function withoutSandbox(missing: string): string {
  return (
    `Apps run WITHOUT A SANDBOX, because ${missing}. Every app and every build can read and change what this server ` +
    'can, its secrets and all databases included, and reach its whole network. Deploy only what you would run as this ' +
    'user yourself. Install bubblewrap 0.8 or later (on Debian: apt-get install bubblewrap) and restart.'
  )
}
