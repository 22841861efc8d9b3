import { readFile } from 'node:fs/promises'

/** Resident bytes of a process and all its descendants, from Linux's /proc; 0 where there is none. */
export async function residentBytes(pid: number): Promise<number> {
  const [own, children] = await Promise.all([ownResidentBytes(pid), childrenOf(pid)])
  const below = await Promise.all(children.map(residentBytes))
  return below.reduce((sum, bytes) => sum + bytes, own)
}

async function ownResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}
