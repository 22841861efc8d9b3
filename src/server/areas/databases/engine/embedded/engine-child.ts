import { readSync, writeSync } from 'node:fs'
import type * as Pglite from '@electric-sql/pglite'
import type * as Pgvector from '@electric-sql/pglite-pgvector'

/**
 * The process of one embedded database. It reads frames (4 bytes of length, then bytes of the Postgres protocol) from
 * its standard input and hands them to the engine; it writes frames (1 byte of type, 4 bytes of length, payload) to
 * its standard output. Reads and writes block, so a slow reader on the other side holds the engine back.
 *
 * The packages are loaded by path, because under Node's permission model this process can read nothing else.
 */
const [, , folder, pglitePath, pgvectorPath] = process.argv as [string, string, string, string, string]
const { PGlite } = (await import(pglitePath)) as typeof Pglite
const { vector } = (await import(pgvectorPath)) as typeof Pgvector

// The other side stops reading it once the engine runs.
process.stderr.on('error', () => {})

const READY = 0x52
const DATA = 0x44
const WANTS_INPUT = 0x49
const CHUNK_BYTES = 64 * 1024
/** Status of the exception by which the engine leaves a statement that failed (pglitec.c). */
const FAILED_STATEMENT = 100

const database = await PGlite.create({
  dataDir: folder,
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
})
const engine = database.Module

/** Bytes of the current frame that were not read yet, and those that were read and not consumed. */
let unread = 0
let input = Buffer.alloc(0)
const chunk = Buffer.alloc(CHUNK_BYTES)

/** Reads more input, and says first that the last frame was consumed. False when the other side has closed. */
function fill(): boolean {
  if (unread === 0) {
    // Otherwise an answer could end in the middle of a message.
    engine._pgl_pq_flush()
    writeFrame(WANTS_INPUT, new Uint8Array())
    const head = Buffer.alloc(4)
    if (!readFully(head)) return false
    unread = head.readUInt32BE()
  }
  const length = readSync(0, chunk, 0, Math.min(unread, CHUNK_BYTES), null)
  if (length === 0) return false
  unread -= length
  input = Buffer.from(chunk.subarray(0, length))
  return true
}

function readFully(target: Buffer): boolean {
  for (let at = 0; at < target.length; ) {
    const length = readSync(0, target, at, target.length - at, null)
    if (length === 0) return false
    at += length
  }
  return true
}

function writeFrame(type: number, bytes: Uint8Array): void {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeUInt32BE(bytes.length, 1)
  writeFully(head)
  writeFully(bytes)
}

function writeFully(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at, bytes.length - at)
}

const read = engine.addFunction((target: number, limit: number) => {
  if (input.length === 0 && !fill()) process.exit(0)
  const length = Math.min(limit, input.length)
  engine.HEAPU8.set(input.subarray(0, length), target)
  input = input.subarray(length)
  return length
}, 'ipi')

const write = engine.addFunction((source: number, length: number) => {
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    writeFrame(DATA, engine.HEAPU8.subarray(source + at, source + Math.min(at + CHUNK_BYTES, length)))
  }
  return length
}, 'ipi')

/** Processes one message. An exception that is not a failed statement leaves the engine broken, so it ends the process. */
function processMessage(): void {
  const stack = engine.stackSave()
  try {
    engine._PostgresMainLoopOnce()
  } catch (error) {
    if (!(error instanceof Object && 'status' in error && error.status === FAILED_STATEMENT)) throw error
    engine.stackRestore(stack)
    engine._PostgresMainLongJmp()
  }
  engine._PostgresSendReadyForQueryIfNecessary()
  engine._pgl_pq_flush()
}

engine._pgl_set_rw_cbs(read, write)
writeFrame(READY, new Uint8Array())
while (input.length > 0 || engine._pq_buffer_remaining_data() > 0 || fill()) processMessage()
await database.close()
process.exit(0)
