import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk in memory, which a test can fill and make read-only. */
type SmallDisk = Disposable & {
  path: string
  /** Writes until the disk is full. */
  fill(): void
  /** Frees what `fill` used. */
  free(): void
  setReadOnly(isReadOnly: boolean): void
}

/** Mounts the disk. Returns undefined and prints the reason if mounting is not allowed (it needs Linux and root). */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (error) {
    rmdirSync(path)
    console.log(`tests on a small disk are skipped: mounting one failed (${String(error).split('\n')[0]})`)
    return undefined
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => {
      writeFileSync(filler, '')
      for (const bytes of [1024 * 1024, 4096]) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(bytes))
        } catch (error) {
          if (!String(error).includes('ENOSPC')) throw error
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    setReadOnly: (isReadOnly) => {
      execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path])
    },
    [Symbol.dispose]: () => {
      execFileSync('umount', ['-l', path])
      rmdirSync(path)
    },
  }
}
