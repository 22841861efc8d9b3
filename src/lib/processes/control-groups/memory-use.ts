import { readGroupFile } from './group-files.ts'

const FILES = {
  1: { use: 'memory.usage_in_bytes', freeable: 'total_inactive_file' },
  2: { use: 'memory.current', freeable: 'inactive_file' },
} as const

/** Returns the bytes that a group uses, without files that the kernel holds in memory only as long as nobody needs it. */
export function readMemoryUse(version: 1 | 2, folder: string): number | undefined {
  const { use, freeable } = FILES[version]
  const text = readGroupFile(folder, use)
  if (text === '') return undefined
  const line = readGroupFile(folder, 'memory.stat')
    .split('\n')
    .find((each) => each.startsWith(`${freeable} `))
  return Math.max(0, Number(text) - Number(line?.split(' ')[1] ?? 0))
}
