import { readFile, statfs } from 'node:fs/promises'
import { memoryInProc, residentBytes } from '#lib/processes/process-memory.ts'
import { INSIDE } from './sandbox-command.ts'

/** What a file of a tmpfs costs beside its content. */
const INODE_BYTES = 1024
/** What the kernel keeps of data that was sent to a socket and not read (net.core.wmem_default). */
const SOCKET_BYTES = 208 * 1024
/** As many sockets as a busy app has. Those beyond count as full, because nobody can see what they hold. */
const USUAL_SOCKETS = 2_000

/**
 * Bytes of memory that everything in a sandbox uses, its tmpfs and full sockets included. `firstPid` is its first process; the second is
 * our script, whose /proc and root are those of the sandbox.
 */
export async function sandboxBytes(firstPid: number, limitBytes: number): Promise<number> {
  const children = await readFile(`/proc/${firstPid}/task/${firstPid}/children`, 'utf8').catch(() => '')
  const script = `/proc/${children.split(' ')[0]}`
  const root = `${script}/root`
  const processes = await memoryInProc(`${root}/proc`, limitBytes)
  const hidden = (await tmpfsBytes(`${root}${INSIDE.scratch}`)) + (await socketBytes(`${script}/net/sockstat`))
  // Where its /proc cannot be read, the processes are found from outside.
  return (processes || (await residentBytes(firstPid))) + hidden
}

async function socketBytes(file: string): Promise<number> {
  const used = /^sockets: used (\d+)$/m.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
  return Math.max(0, Number(used ?? 0) - USUAL_SOCKETS) * SOCKET_BYTES
}

async function tmpfsBytes(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => undefined)
  if (!found) return 0
  return (found.blocks - found.bfree) * found.bsize + (found.files - found.ffree) * INODE_BYTES
}
