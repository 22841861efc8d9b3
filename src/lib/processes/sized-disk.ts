import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forgetProcess, namesLivingProcess, rememberProcess } from './former-process.ts'
import { readMounts } from './mounts.ts'
import { runToEnd } from './start-process.ts'

/** A file system of a fixed size, which lies in a file. Disposing unmounts it and deletes what is on it. */
type SizedDisk = AsyncDisposable & { readonly path: string }

type DiskSize = { readonly bytes: number; readonly files: number }

/** Names in the folder that a disk is made in. The owner is the process of svc that uses it. */
const [IMAGE, MOUNTED, OWNER] = ['disk.img', 'disk', 'disk.owner']
const INODE_BYTES = 256
/** Some room for the tables of the file system, of which ext4 also keeps 2 percent for itself. */
const OVERHEAD = { factor: 1.03, bytes: 4 * 1024 * 1024 }
/** Nothing on it survives a crash, so it has no journal and waits for no device. */
const MAKE = ['-q', '-F', '-m', '0', '-b', '4096', '-O', '^has_journal', '-E', 'nodiscard,lazy_itable_init=1']
const MOUNT = 'loop,nosuid,nodev,noatime,noinit_itable,nobarrier'

/** Makes a file system in a folder, with room for slightly more than `size`. Needs root and loop devices. */
export async function openSizedDisk(folder: string, size: DiskSize): Promise<SizedDisk> {
  const [image, path, owner] = [join(folder, IMAGE), join(folder, MOUNTED), join(folder, OWNER)]
  await mkdir(path, { recursive: true, mode: 0o755 })
  rememberProcess(owner, process.pid)
  await using file = await open(image, 'wx', 0o600)
  const bytes = size.bytes * OVERHEAD.factor + size.files * INODE_BYTES + OVERHEAD.bytes
  await file.truncate(Math.ceil(bytes / 4096) * 4096)
  await run('mkfs.ext4', [...MAKE, '-N', String(size.files + RESERVED_INODES), image])
  await run('mount', ['-t', 'ext4', '-o', MOUNT, image, path])
  const dispose = async () => {
    await unmount(path)
    await rm(image, { force: true })
    forgetProcess(owner, process.pid)
  }
  return { path, [Symbol.asyncDispose]: dispose }
}

/** Inodes that every ext4 has for itself. */
const RESERVED_INODES = 16

/** Returns why no such file system can be made here, or undefined. `folder` is an existing one. */
export async function findDiskFault(folder: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'svc is not root'
  const tried = join(folder, `disk-attempt-${process.pid}`)
  try {
    await mkdir(tried, { mode: 0o700 })
    await using _disk = await openSizedDisk(tried, { bytes: 1024 * 1024, files: 16 })
    return undefined
  } catch (error) {
    return `a file system cannot be made and mounted: ${reasonOf(error)}`
  } finally {
    await rm(tried, { recursive: true, force: true })
  }
}

/** Unmounts the disks below a folder whose process of svc was killed. What is on them can then be deleted. */
export async function unmountLeftDisks(folder: string): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(folder)) return
  const top = realpathSync(folder)
  const paths = readMounts(readFileSync('/proc/self/mountinfo', 'utf8')).map(({ path }) => path)
  for (const path of paths.filter((one) => one.startsWith(`${top}/`) && one.endsWith(`/${MOUNTED}`))) {
    if (!namesLivingProcess(join(dirname(path), OWNER))) await unmount(path)
  }
}

/** A process that still holds a file there keeps the file system alive, but nobody sees it any more. */
async function unmount(path: string): Promise<void> {
  await run('umount', [path]).catch(() => run('umount', ['-l', path]))
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

function run(program: string, args: readonly string[]): Promise<unknown> {
  return runToEnd(program, args, { PATH })
}

function reasonOf(error: unknown): string {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const text = output.trim() || (error instanceof Error ? error.message : String(error))
  return text.split('\n')[0]!.slice(0, 200)
}
