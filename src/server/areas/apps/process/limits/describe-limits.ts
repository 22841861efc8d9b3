import type { ControlGroups } from '#lib/processes/control-groups/control-groups.ts'

/** Which limits of apps and builds hold on this machine. */
export type LimitsInForce = {
  /** One line for the operator. */
  readonly line: string
  /** Limits that svc only watches, or that hold for a part, and what to do about each. */
  readonly gaps: readonly { readonly message: string; readonly action: string }[]
}

const GROUPS_ACTION =
  'Run svc as a systemd service with Delegate=yes (cgroup v2), or as root where cgroup v1 is mounted and can be written.'

/** `versions` are those of the control groups; `diskFault` is the reason why builds have no file system of their own. */
export function describeLimits(versions: ControlGroups['versions'], diskFault: string | undefined): LimitsInForce {
  const by = (version: 1 | 2 | undefined, otherwise: string) =>
    version === undefined ? otherwise : `by cgroup v${version}`
  const places: [what: string, by: string][] = [
    ['memory', by(versions.memory, 'watched four times a second')],
    ['processes', by(versions.pids, 'by a limit for each app, without a total')],
    ['processor', by(versions.cpu, 'at the idle class')],
    ['disk of builds', diskFault === undefined ? 'by a file system of its own' : 'watched twice a second'],
  ]
  const gaps = [
    ...(versions.memory === undefined ? [{ message: MEMORY_GAP, action: GROUPS_ACTION }] : []),
    ...(versions.pids === undefined ? [{ message: PROCESSES_GAP, action: GROUPS_ACTION }] : []),
    ...(versions.cpu === undefined ? [{ message: PROCESSOR_GAP, action: GROUPS_ACTION }] : []),
    ...(diskFault === undefined ? [] : [{ message: diskGap(diskFault), action: DISK_ACTION }]),
  ]
  return { line: `Limits of apps: ${together(places)}`, gaps }
}

/** Names what is limited in the same way once: `memory and processes by cgroup v2; processor at the idle class`. */
function together(places: readonly [what: string, by: string][]): string {
  const ways = [...new Set(places.map(([, by]) => by))]
  return ways.map((way) => `${listed(places.filter(([, by]) => by === way).map(([what]) => what))} ${way}`).join('; ')
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

const MEMORY_GAP =
  'No control group limits the memory of apps. What an app takes within a quarter of a second is not seen before it has it.'
const PROCESSES_GAP =
  'No control group limits the processes of apps: each app has its limit, but an organization has no total.'
const PROCESSOR_GAP =
  'No control group shares the processor between organizations. Apps run only when nothing else wants the processor.'
const DISK_ACTION = 'Run svc as root with mkfs.ext4, mount and loop devices.'

function diskGap(fault: string): string {
  return `Builds have no file system of their own, because ${fault}. What a build writes within half a second is not seen before it is written.`
}
