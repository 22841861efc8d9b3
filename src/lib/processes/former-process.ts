import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { descendantsOf } from './process-memory.ts'

/**
 * Writes a file that names a process by pid, start time and boot, so that it is found again after this process of svc
 * was killed, and another process which got the same pid later is left alone. Linux only: elsewhere the start time is
 * not known.
 */
export function rememberProcess(file: string, pid: number): void {
  writeFileSync(file, identityOf(pid), { mode: 0o600 })
}

/** Removes the file unless it names another process by now. Never throws: it is called when a process ends. */
export function forgetProcess(file: string, pid: number): void {
  try {
    if (readFileSync(file, 'utf8').startsWith(`${pid} `)) rmSync(file, { force: true })
  } catch {
    // It is gone, or cannot be removed: then the next start finds that its process does not run.
  }
}

/** Whether the process that the file names still runs. A zombie has ended. */
export function namesLivingProcess(file: string): boolean {
  const remembered = readText(file)
  const pid = Number(remembered.split(' ')[0])
  return pid > 0 && identityOf(pid) === remembered && isAlive(pid) && statOf(pid)[0] !== 'Z'
}

const END_MS = 10_000
/** The flag of a process that ends, in field 9 of /proc/PID/stat; see `include/linux/sched.h`. */
const PF_EXITING = 0x4

/** Kills the process that the file names, if it still runs, and waits until it and everything below it is gone. */
export async function endFormerProcess(file: string): Promise<void> {
  await endProcess(readText(file))
}

/** Kills the process that `identityOf` named, if it still runs, and waits until it and everything below it is gone. */
export async function endProcess(identity: string): Promise<void> {
  const pid = Number(identity.split(' ')[0])
  if (pid && identityOf(pid) === identity) await endProcessTree(pid)
}

/**
 * Kills a process and everything that is below it now, and waits until all of it is gone. Throws if that takes ten
 * seconds. A child that is forked meanwhile can escape: only the end of a pid namespace is complete.
 */
export async function endProcessTree(pid: number): Promise<void> {
  const processes = [pid, ...(await descendantsOf(pid))].map((each) => ({ pid: each, identity: identityOf(each) }))
  const deadline = performance.now() + END_MS
  for (const { pid: each, identity } of processes) {
    while (isRunning(each) && identityOf(each) === identity) {
      if (performance.now() > deadline) throw new Error(`process ${each} cannot be ended`)
      kill(each)
      await delay(10)
    }
  }
}

/** Resolves when the process that `identityOf` named has ended, also as a zombie. For one whose end Node does not report. */
export async function untilProcessEnds(identity: string, betweenMs: number): Promise<void> {
  while (isSameProcess(identity)) await delay(betweenMs)
}

/** Whether the process that `identityOf` named still runs. */
export function isSameProcess(identity: string): boolean {
  const pid = Number(identity.split(' ')[0])
  return pid > 0 && identityOf(pid) === identity && isRunning(pid)
}

/**
 * Whether the process that `identityOf` named runs and has not begun to end. A process that is being ended closes its
 * connections before it is gone, so the moment after that does not tell by its existence.
 */
export function isStaying(identity: string): boolean {
  const pid = Number(identity.split(' ')[0])
  return isSameProcess(identity) && (Number(statOf(pid)[6]) & PF_EXITING) === 0
}

/** Remembers which process has a pid now. The function it returns kills that process, and never a later one. */
export function killerOf(pid: number): () => void {
  const identity = identityOf(pid)
  return () => {
    if (identityOf(pid) === identity) kill(pid)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile, or may not be killed: the deadline decides.
  }
}

/** Works without /proc too; a zombie counts. A process of another user lives although it may not be signalled. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** False for a zombie, which has ended and waits for its parent. Always false where there is no /proc. */
function isRunning(pid: number): boolean {
  const [state] = statOf(pid)
  return state !== undefined && state !== 'Z'
}

/** The pid, the clock ticks since boot at which it started (field 22 of /proc/PID/stat), and which boot that was. */
export function identityOf(pid: number): string {
  return `${pid} ${statOf(pid)[19] ?? ''} ${readText('/proc/sys/kernel/random/boot_id').trim()}`
}

/** Fields of /proc/PID/stat from the state on. */
function statOf(pid: number): string[] {
  const stat = readText(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
