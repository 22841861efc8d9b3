import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ServiceError } from '#contract/core/errors.ts'
import { workerEntry } from '#lib/files/bundle.ts'
import { openTemporaryFolder } from '#lib/files/temporary-folder.ts'
import type { FoundBubblewrap } from '#lib/processes/bubblewrap.ts'
import { residentBytes } from '#lib/processes/process-memory.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { engineCommand } from './sandbox.ts'
import { enginePackages, packageOf } from './start-engine.ts'

type Options = {
  readonly memoryBytes: number
  readonly sandbox: () => Promise<FoundBubblewrap>
  /** Ends the dump. */
  readonly signal: AbortSignal
}

const MEMORY_CHECK_MS = 100
const MAX_ERROR_CHARS = 2_000
const MIB = 1024 * 1024

/**
 * Dumps a copy of a database's files in a process of its own, in the sandbox of an engine, because whoever connects to an
 * embedded database can become its superuser. Its owner waits for the copy only.
 */
export async function* dumpCopy(copyTo: (folder: string) => Promise<void>, options: Options): AsyncGenerator<Buffer> {
  await using temporary = await openTemporaryFolder('svc-sql-dump-')
  const folder = join(temporary.path, 'database')
  await copyTo(folder)
  yield* outputOf(await commandOf(folder, options), options)
}

async function commandOf(folder: string, { sandbox }: Options) {
  const found = await sandbox()
  const places = {
    node: process.execPath,
    script: workerEntry('src/server/areas/databases/engine/embedded/dump-child.ts'),
    folder,
    ...enginePackages(),
    tools: packageOf('@electric-sql/pglite-tools'),
  }
  return engineCommand(places, 'bubblewrap' in found ? found.bubblewrap : undefined)
}

async function* outputOf({ file, args }: ReturnType<typeof engineCommand>, { memoryBytes, signal }: Options) {
  const child = startProcess(file, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = [child.stdout!, child.stderr!]
  const closed = once(child, 'close') as Promise<[number | null]>
  closed.catch(() => undefined)
  const errors = firstText(stderr)
  let isTooLarge = false
  const end = () => child.kill('SIGKILL')
  const checkMemory = async () => {
    if (child.pid === undefined || (await residentBytes(child.pid)) <= memoryBytes) return
    isTooLarge = true
    end()
  }
  const watcher = setInterval(() => void checkMemory(), MEMORY_CHECK_MS)
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    for await (const bytes of stdout) yield bytes as Buffer
    const [code] = await closed
    if (code === 0) return
    throw new ServiceError('CONFLICT', isTooLarge ? tooLarge(memoryBytes) : `pg_dump failed: ${errors() || 'it ended'}`)
  } finally {
    clearInterval(watcher)
    signal.removeEventListener('abort', end)
    end()
    await closed.catch(() => undefined)
  }
}

function tooLarge(memoryBytes: number): string {
  return `The dump needs more than the ${memoryBytes / MIB} MB of memory of an embedded database. Connect with svc db psql and copy its tables one by one.`
}

/** Returns the beginning of what the process writes, to report it if it fails. */
function firstText(stream: Readable): () => string {
  let text = ''
  stream.on('data', (bytes: Buffer) => {
    if (text.length < MAX_ERROR_CHARS) text += bytes.toString().slice(0, MAX_ERROR_CHARS - text.length)
  })
  return () => text.trim()
}
