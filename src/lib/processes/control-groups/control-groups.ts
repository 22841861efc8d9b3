import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGroupFile, removeEmptyGroups, removeGroup, writeSettings } from './group-files.ts'
import { enable, findHierarchies, type GroupFacts, type Hierarchy, isDelegated } from './hierarchies.ts'
import { limitedBy, readMemoryEvents } from './memory-events.ts'
import { readMemoryUse } from './memory-use.ts'
import type { Controller } from './own-groups.ts'
import { END_TOGETHER, type GroupLimits, limitSettings } from './settings.ts'

/** The processes of one app or build, which the kernel limits together. */
export type ControlGroup = {
  readonly name: string
  /** Moves a process here. Those that it starts later are here too. */
  readonly add: (pid: number) => void
  /** Which limit made the kernel end a process for want of memory. Undefined: it ended none. */
  readonly memoryEndedBy: () => 'own' | 'organization' | 'machine' | undefined
  /** The memory that its processes use and that could not be freed at once. Undefined: it is not known. */
  readonly memoryBytes: () => number | undefined
  /** Removes the group, and that of its organization if it was the last. To be called when all processes have ended. */
  readonly remove: () => void
}

export type ControlGroups = {
  /** By which version of control groups each is limited. */
  readonly versions: Readonly<Partial<Record<Controller, 1 | 2>>>
  /** Makes a group below that of its organization. Throws if a limit cannot be set. */
  readonly open: (organization: string, limits: Limits) => ControlGroup
  /** Returns a group that another program made in this process. */
  readonly reopen: (organization: string, name: string) => ControlGroup
  /** Removes the groups of killed processes of this installation. */
  readonly removeEmpty: () => void
}

/** Finds out which control groups this process can make for the installation in a data folder. */
export async function findControlGroups(dataDir: string, facts: GroupFacts = readGroupFacts()): Promise<ControlGroups> {
  const hierarchies = await findHierarchies(digest(dataDir), facts)
  const versions = Object.fromEntries(
    hierarchies.flatMap(({ version, controllers }) => controllers.map((each) => [each, version])),
  )
  const openNames = new Set<string>()
  const removeEmpty = () => {
    for (const { folder } of hierarchies) removeEmptyGroups(folder, openNames)
  }
  const use = (organization: string, own: string, limits?: Limits): ControlGroup => {
    const group = openGroup(hierarchies, { organization: nameOf(organization), own }, limits)
    openNames.add(own)
    const remove = () => {
      openNames.delete(own)
      group.remove()
      // The kernel may still be ending a process, which keeps its group for some milliseconds.
      setTimeout(removeEmpty, REMOVE_AGAIN_MS).unref()
    }
    return { ...group, remove }
  }
  return {
    versions,
    open: (organization, limits) => use(organization, randomBytes(6).toString('hex'), limits),
    reopen: (organization, name) => use(organization, name),
    removeEmpty,
  }
}

const REMOVE_AGAIN_MS = 1_000

type Limits = { readonly own: GroupLimits; readonly organization: GroupLimits }

/** Reads which groups this process is in. With version 2, `findControlGroups` moves it to another one. */
export function readGroupFacts(): GroupFacts {
  const read = (name: string) => readGroupFile('/proc/self', name)
  return { cgroup: read('cgroup'), mountinfo: read('mountinfo'), isOurs: isDelegated }
}

/** Without limits the group is one that was made before. */
function openGroup(
  hierarchies: readonly Hierarchy[],
  names: { organization: string; own: string },
  limits: Limits | undefined,
): ControlGroup {
  const groups = hierarchies.map((hierarchy) => ({
    ...hierarchy,
    above: join(hierarchy.folder, names.organization),
    own: join(hierarchy.folder, names.organization, names.own),
  }))
  const remove = () => {
    // The folder of the installation too, which is made again when it is needed.
    for (const { folder, above, own } of groups) if (removeGroup(own) && removeGroup(above)) removeGroup(folder)
  }
  try {
    if (limits) for (const { above, own, ...hierarchy } of groups) make(hierarchy, above, own, limits)
  } catch (error) {
    remove()
    throw error
  }
  const memory = groups.find(({ controllers }) => controllers.includes('memory'))
  return {
    name: names.own,
    add: (pid) => {
      for (const { own } of groups) writeFileSync(join(own, 'cgroup.procs'), String(pid))
    },
    memoryEndedBy: () =>
      memory && limitedBy(readMemoryEvents(memory.version, memory.own), readMemoryEvents(memory.version, memory.above)),
    memoryBytes: () => memory && readMemoryUse(memory.version, memory.own),
    remove,
  }
}

function make({ version, folder, controllers }: Hierarchy, above: string, own: string, limits: Limits): void {
  const isNew = mkdirSync(above, { recursive: true }) !== undefined
  if (isNew) {
    for (const each of controllers) writeSettings(above, limitSettings(version, each, limits.organization))
    const enabled = controllers.map((each) => `+${each}`).join(' ')
    if (version === 2) for (const each of [folder, above]) enable(each, enabled)
  }
  mkdirSync(own)
  for (const each of controllers) writeSettings(own, limitSettings(version, each, limits.own))
  if (version === 2 && controllers.includes('memory')) writeSettings(own, [END_TOGETHER])
}

/** Ids become names of folders as they are, anything else by its digest. */
function nameOf(organization: string): string {
  return /^[0-9A-Za-z_-]{1,100}$/.test(organization) ? organization : digest(organization)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
