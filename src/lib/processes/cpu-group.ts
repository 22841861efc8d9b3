import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that together get the processor time of one ordinary process. */
type CpuGroup = { add(pid: number): void; remove(): void }

const MOUNT = '/sys/fs/cgroup/cpu'
const GROUPS = 'svc-apps'
/** Half of what one ordinary process has. Groups below share it evenly. */
const SHARES = '512'

/**
 * Returns the folder in which this process can make groups, or undefined. They are cgroups of version 1, which root can
 * make; they lie below the own group, so that its limits hold for them too.
 */
export function findCpuGroups(mount: string = MOUNT): string | undefined {
  const own = /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(readText('/proc/self/cgroup'))?.[1]
  if (own === undefined || !existsSync(join(mount, own, 'cpu.shares'))) return undefined
  const folder = join(mount, own, GROUPS)
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'cpu.shares'), SHARES)
    return folder
  } catch {
    return undefined
  }
}

/** Opens the group with this name in the folder. Several may use one group; the last to remove it does. */
export function openCpuGroup(folder: string, name: string): CpuGroup {
  const group = join(folder, name)
  return {
    add: (pid) => {
      mkdirSync(group, { recursive: true })
      writeFileSync(join(group, 'cgroup.procs'), String(pid))
    },
    remove: () => {
      try {
        rmdirSync(group)
      } catch {
        // Others still use it.
      }
    },
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
