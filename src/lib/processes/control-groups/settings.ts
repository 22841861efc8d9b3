import type { Controller } from './own-groups.ts'

/** Limits of all processes of a group together. Undefined: as much as the group above may use. */
export type GroupLimits = { readonly memoryBytes?: number | undefined; readonly processes?: number | undefined }

/** A file of a group and what is written to it. `optional`: not every kernel has it. */
export type Setting = { readonly file: string; readonly value: string; readonly optional?: true }

/**
 * Version 1 does not count the buffers of TCP and UDP as memory. They may have this part of it beside: programs wait
 * when the buffers are full.
 */
const SOCKET_PART = 8
/** Half of what one ordinary process has (1,024). Groups below share it evenly. */
const CPU_SHARES = 512
/** The group of the server has 100. */
const CPU_WEIGHT = 10

/** Returns what limits a group. Swap is counted as memory, or not given at all. */
export function limitSettings(version: 1 | 2, controller: Controller, limits: GroupLimits): Setting[] {
  const { memoryBytes, processes } = limits
  if (controller === 'pids') return processes === undefined ? [] : [{ file: 'pids.max', value: String(processes) }]
  if (controller === 'cpu' || memoryBytes === undefined) return []
  return version === 1 ? memoryOfVersion1(memoryBytes) : memoryOfVersion2(memoryBytes)
}

function memoryOfVersion1(bytes: number): Setting[] {
  return [
    // A limit of memory can never be above the one of memory and swap together.
    { file: 'memory.memsw.limit_in_bytes', value: '-1', optional: true },
    { file: 'memory.limit_in_bytes', value: String(bytes) },
    { file: 'memory.memsw.limit_in_bytes', value: String(bytes), optional: true },
    { file: 'memory.kmem.tcp.limit_in_bytes', value: String(Math.ceil(bytes / SOCKET_PART)), optional: true },
  ]
}

function memoryOfVersion2(bytes: number): Setting[] {
  return [
    { file: 'memory.max', value: String(bytes) },
    { file: 'memory.swap.max', value: '0', optional: true },
  ]
}

/** Returns what gives all apps together less of the processor than the server has when both want it. */
export function weightSettings(version: 1 | 2): Setting[] {
  return version === 1
    ? [{ file: 'cpu.shares', value: String(CPU_SHARES) }]
    : [{ file: 'cpu.weight', value: String(CPU_WEIGHT) }]
}

/** With version 2 the kernel ends all processes of such a group at once, when it must end one for want of memory. */
export const END_TOGETHER: Setting = { file: 'memory.oom.group', value: '1', optional: true }
