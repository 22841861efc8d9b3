import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Several times what the tests hold at once. */
const MIN_FREE_BYTES = 6 * 1024 ** 3
const NAME = /^svc-test-(\d+)-/

/**
 * Puts the files of the tests into memory where there is room and programs may run, unless TMPDIR says where they
 * belong. On ext4 a file costs 0.7 ms while thousands that were removed in the seconds before are still in its journal,
 * and tests make and remove databases of a thousand files each.
 */
export function chooseMemoryFolder(env: NodeJS.ProcessEnv): void {
  if (env.TMPDIR !== undefined || freeBytes() < MIN_FREE_BYTES || forbidsPrograms(readMounts())) return
  removeLeftovers()
  const folder = mkdtempSync(join(MEMORY, `svc-test-${process.pid}-`))
  // A test that is root runs Postgres as its own user, who has to pass through.
  chmodSync(folder, 0o711)
  env.TMPDIR = folder
  process.once('exit', () => removeIfPossible(folder))
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory())
  } catch {
    return 0
  }
}

function readMounts(): string {
  try {
    return readFileSync('/proc/mounts', 'utf8')
  } catch {
    return ''
  }
}

/** Whether the list of mounts of Linux has the folder with `noexec`. Tests make programs and run them. */
export function forbidsPrograms(mounts: string): boolean {
  const options = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === MEMORY)?.[3]
  return options?.split(',').includes('noexec') ?? false
}

/** Removes the folders of runs that were killed. */
export function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) removeIfPossible(join(MEMORY, name))
  }
}

function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is another user's, or a program that a test started still writes to it. A later run removes it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
