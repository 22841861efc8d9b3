import { readGroupFile } from './group-files.ts'

type MemoryEvents = {
  /** Processes of this group that the kernel ended for want of memory. */
  readonly ended: number
  /** Whether the group needed more than its own limit at some time. */
  readonly reachedLimit: boolean
}

/** The kernel ends a process when some pages are wanted that would exceed the limit, so not exactly at the limit. */
const NEARLY = 0.95

export function readMemoryEvents(version: 1 | 2, folder: string): MemoryEvents {
  if (version === 1) {
    const most = Number(readGroupFile(folder, 'memory.max_usage_in_bytes'))
    const limit = Number(readGroupFile(folder, 'memory.limit_in_bytes'))
    return {
      ended: countOf('oom_kill', readGroupFile(folder, 'memory.oom_control')),
      reachedLimit: most > limit * NEARLY,
    }
  }
  const local = readGroupFile(folder, 'memory.events.local')
  const events = local === '' ? readGroupFile(folder, 'memory.events') : local
  // `oom` counts for the group whose limit was reached, `oom_kill` for that of the process.
  return { ended: countOf('oom_kill', events), reachedLimit: countOf('oom', events) > 0 }
}

/** Returns whose limit made the kernel end a process of a group. Undefined: no process was ended. */
export function limitedBy(
  own: MemoryEvents,
  organization: MemoryEvents,
): 'own' | 'organization' | 'machine' | undefined {
  if (own.ended === 0) return undefined
  if (own.reachedLimit) return 'own'
  return organization.reachedLimit ? 'organization' : 'machine'
}

function countOf(name: string, text: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}
