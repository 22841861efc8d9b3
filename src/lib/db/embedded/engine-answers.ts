import { chmod, rename, writeFile } from 'node:fs/promises'
import { workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import type { Served } from '../../threads/worker-serve.ts'
import { makeCluster, readClusterArchive } from './cluster.ts'
import type { PreparedSchema } from './prepared-schema.ts'

export type EmbeddedData = {
  /** Folder of the cluster. Absent: the cluster is in memory. */
  folder?: string
  /** Archive that a new cluster starts from. */
  archive: string
  /** Schema that a new cluster begins with, instead of none. */
  prepared?: PreparedSchema
}
export type EmbeddedMessage =
  | { do: 'wire'; bytes: Uint8Array<ArrayBuffer> }
  | { do: 'reset' }
  /** `isNew` makes the cluster in the folder first. */
  | { do: 'open'; isNew: boolean }
  | { do: 'dump'; to: string }
  | { do: 'close' }

let opened: Promise<PGlite> | undefined
const open = (isNew = false): Promise<PGlite> => (opened ??= create(workerData as EmbeddedData, isNew))

/** Makes a new cluster in this thread, because the main thread loads its code at the same time. */
async function create({ folder, archive, prepared }: EmbeddedData, isNew: boolean): Promise<PGlite> {
  if (folder && isNew) await makeCluster(folder, archive, prepared)
  // The engine makes files that everybody may read, so the folder is closed to others.
  if (folder) await chmod(folder, 0o700)
  return PGlite.create({
    extensions: { vector },
    // Less than the default of 128 MiB, because the operating system caches the same pages.
    startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
    ...(folder ? { dataDir: folder } : { loadDataDir: new Blob([await readClusterArchive(archive)]) }),
  })
}

/** https://github.com/emscripten-core/emscripten/blob/main/system/lib/libc/musl/arch/emscripten/bits/errno.h */
const ERRNO: Record<number, string> = { 19: 'EDQUOT', 29: 'EIO', 51: 'ENOSPC', 69: 'EROFS' }

/** Makes an error of the plain objects that the engine throws. Only its message reaches the other thread. */
function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  const errno = typeof thrown === 'object' && thrown && 'errno' in thrown ? Number(thrown.errno) : undefined
  return new Error(
    errno === undefined ? String(thrown) : `${ERRNO[errno] ?? `errno ${errno}`}: a file operation failed`,
  )
}

/** Answers one message to the thread of the engine. */
export async function answerEngine(message: EmbeddedMessage): Promise<Served> {
  return serve(message).catch((thrown: unknown) => {
    throw toError(thrown)
  })
}

async function serve(message: EmbeddedMessage): Promise<Served> {
  const pg = await open(message.do === 'open' && message.isNew)
  switch (message.do) {
    case 'open':
      return { value: undefined }
    case 'wire': {
      const answer = await pg.execProtocolRaw(message.bytes)
      // Copied, because a view into the engine's memory cannot be transferred to another thread.
      const bytes = new Uint8Array(answer)
      return { value: bytes, transfer: [bytes.buffer] }
    }
    case 'reset':
      return { value: await resetSession(pg) }
    case 'dump':
      return { value: await dump(pg, message.to) }
    case 'close':
      return { value: await pg.close() }
    default:
      throw message satisfies never
  }
}

/** Resets the engine's only session, so that a new connection does not see settings of the former one. */
async function resetSession(pg: PGlite): Promise<void> {
  await pg.execProtocolRaw(simpleQuery('rollback'))
  await pg.execProtocolRaw(simpleQuery('discard all'))
}

function simpleQuery(text: string): Uint8Array {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.from([0x51, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

async function dump(pg: PGlite, to: string): Promise<void> {
  const archive = await pg.dumpDataDir('none')
  const part = `${to}.${process.pid}.part`
  await writeFile(part, Buffer.from(await archive.arrayBuffer()))
  await rename(part, to)
}
