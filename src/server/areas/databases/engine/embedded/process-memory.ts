import { readFile } from 'node:fs/promises'

/** Resident bytes of a process and all its descendants, from Linux's /proc; 0 where there is none. */
export async function residentBytes(pid: number): Promise<number> {
  const pids = [pid, ...(await descendantsOf(pid))]
  const sizes = await Promise.all(pids.map(ownResidentBytes))
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}

/** Processes below a process, from Linux's /proc; none where there is none. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = text.split(' ').filter(Boolean).map(Number)
  const below = await Promise.all(children.map(descendantsOf))
  return [...children, ...below.flat()]
}

async function ownResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}
