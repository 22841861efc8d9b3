import { readdir, readFile } from 'node:fs/promises'

/** Resident bytes of a process and all its descendants, from Linux's /proc; 0 where there is none. */
export async function residentBytes(pid: number): Promise<number> {
  const pids = [pid, ...(await descendantsOf(pid))]
  return sum(await Promise.all(pids.map((each) => ownResidentBytes(`/proc/${each}`))))
}

/** Processes below a process, from Linux's /proc; none where there is none. */
export async function descendantsOf(pid: number): Promise<number[]> {
  // A child belongs to the thread that made it, which need not be the first one.
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const texts = await Promise.all(threads.map((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/children`)))
  const children = texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
  const below = await Promise.all(children.map(descendantsOf))
  return [...children, ...below.flat()]
}

/**
 * Bytes of memory of all processes that a /proc shows, such as the one of another pid namespace. Memory that processes
 * share is counted once if that matters for `limitBytes`: counting it exactly is slow.
 */
export async function memoryInProc(proc: string, limitBytes: number): Promise<number> {
  const names = await readdir(proc).catch(() => [])
  const folders = names.filter((name) => /^\d+$/.test(name)).map((name) => `${proc}/${name}`)
  const resident = sum(await Promise.all(folders.map(ownResidentBytes)))
  return resident <= limitBytes ? resident : sum(await Promise.all(folders.map(proportionalBytes)))
}

/** With the page tables: a process can make gigabytes of them that map hardly any memory. */
async function ownResidentBytes(folder: string): Promise<number> {
  const status = await readOrEmpty(`${folder}/status`)
  return (kilobytes(status, /^VmRSS:\s+(\d+) kB$/m) ?? 0) + (kilobytes(status, PAGE_TABLES) ?? 0)
}

/** The resident bytes where the proportional ones cannot be read: a process can close them to us. */
async function proportionalBytes(folder: string): Promise<number> {
  const proportional = kilobytes(await readOrEmpty(`${folder}/smaps_rollup`), /^Pss:\s+(\d+) kB$/m)
  if (proportional === undefined) return ownResidentBytes(folder)
  return proportional + (kilobytes(await readOrEmpty(`${folder}/status`), PAGE_TABLES) ?? 0)
}

const PAGE_TABLES = /^VmPTE:\s+(\d+) kB$/m

function kilobytes(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found) * 1024
}

async function readOrEmpty(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
