import { createReadStream } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'

/** Memory of a socket without data: about 2.4 KB for one of TCP, 1 KB for its inode, and its open file. */
const IDLE_SOCKET_BYTES = 4096
/** Memory of data that was sent to a socket and not read, at most (net.core.wmem_default). */
const FULL_SOCKET_BYTES = 208 * 1024
/** As many Unix sockets as an app with some child processes has. Those beyond count as full: nobody can see what they hold. */
const USUAL_UNIX_SOCKETS = 64
/** Sockets of any kind that cost too little to be looked at. */
const FEW_SOCKETS = 8
/** Bytes of memory for each byte that waits, at most. */
const QUEUE_OVERHEAD = 2
/** Rows that are read of one table. An app that answers often has tens of thousands of TCP connections that have ended. */
const MAX_ROWS = 65_536
/** State of a TCP connection that has ended and that is no socket any more. */
const TIME_WAIT = '06'

/**
 * Bytes in the sockets of a sandbox: the sockets themselves, what waits in those of TCP and UDP, and what Unix sockets
 * can hold. `script` is the folder in /proc of a process there.
 */
export async function socketBytes(script: string, limitBytes: number): Promise<number> {
  const sockstat = await readFile(`${script}/net/sockstat`, 'utf8').catch(() => '')
  const used = Number(/^sockets: used (\d+)$/m.exec(sockstat)?.[1] ?? 0)
  if (used <= FEW_SOCKETS) return 0
  const idle = used * IDLE_SOCKET_BYTES
  // The tables of so many sockets are slow to read, and the count is enough.
  if (idle > limitBytes) return idle
  const full = Math.max(0, (await unixSockets(script)) - USUAL_UNIX_SOCKETS) * FULL_SOCKET_BYTES
  return idle + full + (await queueBytes(script, used))
}

async function queueBytes(script: string, used: number): Promise<number> {
  const tables = await Promise.all(['tcp', 'tcp6', 'udp', 'udp6'].map((name) => readQueues(`${script}/net/${name}`)))
  const waiting = tables.reduce((total, each) => total + each.waiting, 0)
  if (tables.every(({ rows }) => rows < MAX_ROWS)) return waiting * QUEUE_OVERHEAD
  const seen = tables.reduce((total, each) => total + each.sockets, 0)
  return waiting * QUEUE_OVERHEAD + Math.max(0, used - seen) * FULL_SOCKET_BYTES
}

/** Columns of /proc/net/tcp: number, own address, other address, state, bytes that wait to be sent and to be read. */
const QUEUES = /^ *\d+: [0-9A-F:]+ [0-9A-F:]+ ([0-9A-F]{2}) ([0-9A-F]{8}):([0-9A-F]{8}) /gm

async function readQueues(file: string): Promise<{ rows: number; sockets: number; waiting: number }> {
  const found = { rows: 0, sockets: 0, waiting: 0 }
  for await (const rows of rowsOf(file, QUEUES)) {
    found.rows += rows.length
    for (const [, state, out, back] of rows) {
      if (state !== TIME_WAIT) found.sockets++
      found.waiting += Number.parseInt(out!, 16) + Number.parseInt(back!, 16)
    }
  }
  return found
}

/** Columns of /proc/net/unix: address, users, protocol, flags, type, state, inode. */
const UNIX_INODE = /^[0-9a-f]+: (?:[0-9A-F]+ ){5} *(\d+)/gm

/** Unix sockets of the sandbox but those of our script, which has one for each request and connection. */
async function unixSockets(script: string): Promise<number> {
  const inodes = new Set<string | undefined>()
  for await (const rows of rowsOf(`${script}/net/unix`, UNIX_INODE)) for (const [, inode] of rows) inodes.add(inode)
  if (inodes.size <= USUAL_UNIX_SOCKETS) return 0
  for (const name of await readdir(`${script}/fd`).catch(() => [])) {
    const target = await readlink(`${script}/fd/${name}`).catch(() => '')
    inodes.delete(/^socket:\[(\d+)\]$/.exec(target)?.[1])
  }
  return inodes.size
}

/** The first rows of a table, a piece of the file at a time, so that a long one does not hold up this process. */
async function* rowsOf(file: string, row: RegExp): AsyncGenerator<RegExpExecArray[]> {
  let rest = ''
  let left = MAX_ROWS
  try {
    for await (const piece of createReadStream(file, 'latin1')) {
      const text = rest + String(piece)
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      const rows = [...text.slice(0, end).matchAll(row)].slice(0, left)
      left -= rows.length
      yield rows
      if (left === 0) return
    }
  } catch {
    // The process has ended, or this kernel has no such table.
  }
}
