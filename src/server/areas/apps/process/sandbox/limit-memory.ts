import type { ControlGroup } from '#lib/processes/control-groups/control-groups.ts'
import { residentBytes } from '#lib/processes/process-memory.ts'
import type { MemoryTotals } from '../limits/memory-totals.ts'
import { repeat } from '../repeat.ts'
import type { ConfinedProcess } from './confined-process.ts'
import { sandboxBytes } from './memory-watch.ts'
import type { ProcessEnd } from './status.ts'

const CHECK_MS = 250
/** The kernel limits memory there, so that it is read for people only. */
const READ_EACH_CHECKS = 4

/** Called with the bytes of memory that a sandbox uses. */
type OnMemory = (bytes: number) => void
type MemoryLimits = { readonly ownBytes: number; readonly organizationBytes: number }

/** Returns why the kernel ended a process of a group. Undefined: it ended none. */
export function explainEnd(group: ControlGroup, limits: MemoryLimits): ProcessEnd | undefined {
  const reason = group.memoryEndedBy()
  if (reason === undefined) return undefined
  if (reason === 'own') return overOwn(limits.ownBytes)
  return reason === 'organization' ? overTotal(limits.organizationBytes) : MACHINE_FULL
}

/** Ends everything in a sandbox when the kernel had to end one of its processes. */
export function watchGroup(
  child: ConfinedProcess,
  group: Pick<ControlGroup, 'memoryBytes'> & { readonly findEnd: () => ProcessEnd | undefined },
  onMemory: OnMemory,
  signal: AbortSignal,
): void {
  let checks = 0
  const check = async () => {
    const end = group.findEnd()
    if (end) child.kill(end.description, end.by === 'limit' ? 'limit' : 'svc')
    if (checks++ % READ_EACH_CHECKS > 0) return
    const bytes = group.memoryBytes()
    if (bytes !== undefined) onMemory(bytes)
  }
  void repeat(check, CHECK_MS, signal)
}

/** Adds up the memory of a sandbox and of its organization, where no control group does, and ends what uses too much. */
export function watchMemory(
  child: ConfinedProcess,
  orgId: string,
  limits: MemoryLimits,
  totals: MemoryTotals,
  onMemory: OnMemory,
  signal: AbortSignal,
): void {
  const end = ({ description }: ProcessEnd) => child.kill(description, 'limit')
  const user = { end: () => end(overTotal(limits.organizationBytes)) }
  const check = async () => {
    const first = await child.firstPid
    const used = first === undefined ? await residentBytes(child.pid) : await sandboxBytes(first, limits.ownBytes)
    if (signal.aborted) return
    onMemory(used)
    if (used > limits.ownBytes) end(overOwn(limits.ownBytes))
    else totals.report(orgId, user, used, limits.organizationBytes)
  }
  signal.addEventListener('abort', () => totals.forget(orgId, user))
  void repeat(check, CHECK_MS, signal)
}

const MACHINE_FULL: ProcessEnd = { code: null, description: 'killed: the machine ran out of memory', by: 'svc' }

function overOwn(bytes: number): ProcessEnd {
  return { code: null, description: `killed: it used more than ${megabytes(bytes)} MB of memory`, by: 'limit' }
}

function overTotal(bytes: number): ProcessEnd {
  const description =
    `killed: the apps and builds of its organization used more than ${megabytes(bytes)} MB of memory together, and it ` +
    'used the most. Use less, delete apps that are not needed, or ask the operator to raise SVC_APPS_MEMORY_PER_ORG_MB'
  return { code: null, description, by: 'limit' }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
