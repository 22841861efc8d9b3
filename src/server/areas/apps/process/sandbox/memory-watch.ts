import { readFile, statfs } from 'node:fs/promises'
import { memoryInProc, residentBytes } from '#lib/processes/process-memory.ts'
import { socketBytes } from '../limits/socket-memory.ts'
import { INSIDE } from './sandbox-command.ts'

/** Memory of a file of a tmpfs beside its content. */
const INODE_BYTES = 1024

/**
 * Bytes of memory that everything in a sandbox uses, its tmpfs and sockets included. `firstPid` is its first process; the second is
 * our script, whose /proc and root are those of the sandbox.
 */
export async function sandboxBytes(firstPid: number, limitBytes: number): Promise<number> {
  const children = await readFile(`/proc/${firstPid}/task/${firstPid}/children`, 'utf8').catch(() => '')
  const script = `/proc/${children.split(' ')[0]}`
  const root = `${script}/root`
  const processes = await memoryInProc(`${root}/proc`, limitBytes)
  const hidden = (await tmpfsBytes(`${root}${INSIDE.scratch}`)) + (await socketBytes(script, limitBytes))
  // Where its /proc cannot be read, the processes are found from outside.
  return (processes || (await residentBytes(firstPid))) + hidden
}

async function tmpfsBytes(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => undefined)
  if (!found) return 0
  return (found.blocks - found.bfree) * found.bsize + (found.files - found.ffree) * INODE_BYTES
}
