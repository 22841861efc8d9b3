import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from '../start-process.ts'
import { readGroupFile, removeEmptyGroups, writeSettings } from './group-files.ts'
import { CONTROLLERS, type Controller, findOwnGroups, type OwnGroup } from './own-groups.ts'
import { limitSettings, weightSettings } from './settings.ts'

/** A tree of groups in which this process can make groups that limit something. */
export type Hierarchy = {
  readonly version: 1 | 2
  /** The group below which the groups of this installation are. */
  readonly folder: string
  readonly controllers: readonly Controller[]
}

export type GroupFacts = {
  /** Texts of the files in /proc/self. */
  readonly cgroup: string
  readonly mountinfo: string
  /** Whether the group was given to svc, or belongs to another program such as systemd, which would change it again. */
  readonly isOurs: (folder: string) => Promise<boolean>
}

/** All groups of apps and builds, of every installation that was started in the same group. */
const APPS = 'svc-apps'
/** With version 2 a group that has groups with limits has no processes of its own. */
const SERVER = 'svc-server'

/**
 * Finds what can limit apps here: with version 2 where the own group was given to svc, otherwise with version 1 as root.
 * `name` tells installations on one machine apart. What cannot be had is left out.
 */
export async function findHierarchies(name: string, facts: GroupFacts): Promise<Hierarchy[]> {
  const own = findOwnGroups(facts.cgroup, facts.mountinfo)
  const found: Hierarchy[] = []
  const newest = own.find(({ version }) => version === 2)
  if (newest && (await facts.isOurs(newest.folder))) found.push(...attempt(() => divide(newest.folder, name)))
  for (const group of own.filter(({ version }) => version === 1)) {
    const missing = group.controllers.filter((each) => !found.some(({ controllers }) => controllers.includes(each)))
    if (missing.length > 0) found.push(...attempt(() => takeVersion1({ ...group, controllers: missing }, name)))
  }
  return found
}

function takeVersion1({ folder, controllers }: OwnGroup, name: string): Hierarchy {
  const apps = join(folder, APPS)
  mkdirSync(join(apps, name), { recursive: true })
  if (controllers.includes('cpu')) writeSettings(apps, weightSettings(1))
  const hierarchy = { version: 1, folder: join(apps, name), controllers } as const
  tryLimits(hierarchy)
  return hierarchy
}

/** Makes groups below the own one possible: its processes move to a group of their own. */
function divide(folder: string, name: string): Hierarchy {
  const offered = readGroupFile(folder, 'cgroup.controllers').trim().split(/\s+/)
  const controllers = CONTROLLERS.filter((each) => offered.includes(each))
  if (controllers.length === 0) throw new Error('this group has no controllers')
  const [server, apps] = [join(folder, SERVER), join(folder, APPS)]
  mkdirSync(server, { recursive: true })
  for (const pid of readGroupFile(folder, 'cgroup.procs').split('\n').filter(Boolean)) move(pid, server)
  mkdirSync(join(apps, name), { recursive: true })
  const enabled = controllers.map((each) => `+${each}`).join(' ')
  for (const each of [folder, apps, join(apps, name)]) enable(each, enabled)
  if (controllers.includes('cpu')) writeSettings(apps, weightSettings(2))
  const hierarchy = { version: 2, folder: join(apps, name), controllers } as const
  tryLimits(hierarchy)
  return hierarchy
}

/** Lets groups below this one of version 2 have limits, such as `+memory +pids`. */
export function enable(folder: string, controllers: string): void {
  writeFileSync(join(folder, 'cgroup.subtree_control'), controllers)
}

/** A process that ended meanwhile cannot be moved and need not be. Any other keeps `enable` from working. */
function move(pid: string, to: string): void {
  try {
    writeFileSync(join(to, 'cgroup.procs'), pid)
  } catch {
    // `enable` fails if it is still there.
  }
}

/** Sets a limit as apps get it, so that one that cannot be set is found now. */
function tryLimits({ version, folder, controllers }: Hierarchy): void {
  const tried = join(folder, 'attempt')
  mkdirSync(tried, { recursive: true })
  try {
    for (const each of controllers) {
      writeSettings(tried, limitSettings(version, each, { memoryBytes: 2 ** 30, processes: 1000 }))
    }
  } finally {
    removeEmptyGroups(tried)
  }
}

function attempt(take: () => Hierarchy): Hierarchy[] {
  try {
    return [take()]
  } catch {
    return []
  }
}

/** Systemd divides every group that it did not give away (`Delegate=yes`). Without systemd, who may write owns it. */
export async function isDelegated(folder: string): Promise<boolean> {
  if (!existsSync('/run/systemd/system')) return true
  const unit = folder.split('/').at(-1) ?? ''
  const manager = folder.includes('/user@') ? ['--user'] : []
  const shown = await runToEnd('systemctl', [...manager, 'show', '--property=Delegate', '--value', '--', unit]).catch(
    () => undefined,
  )
  return shown?.stdout.trim() === 'yes'
}
