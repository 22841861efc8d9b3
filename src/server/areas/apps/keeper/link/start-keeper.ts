import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { workerEntry } from '#lib/files/bundle.ts'
import { connectLocal } from '#lib/net/local-stream.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { findSocket, keeperFolder } from '../place.ts'

/** It keeps the newest lines of each app, and little else. */
const HEAP = ['--no-warnings', '--max-old-space-size=256', '--max-semi-space-size=2']
const BETWEEN_MS = 20
const STDERR_CHARS = 2_000

/** Connects to the keeper of a data folder. Returns undefined if none runs. */
export async function connectToKeeper(dataDir: string): Promise<Duplex | undefined> {
  const socket = findSocket(dataDir)
  return socket === undefined ? undefined : connectLocal(socket)
}

/** Starts the keeper of a data folder and connects to it. It goes on when this process ends. */
export async function startKeeper(dataDir: string): Promise<Duplex> {
  const entry = workerEntry('src/server/areas/apps/keeper/program/keeper-child.ts')
  const errors = join(keeperFolder(dataDir), 'stderr')
  const stderr = openSync(errors, 'w', 0o600)
  const child = startProcess(process.execPath, [...HEAP, entry, dataDir, 'server'], {
    cwd: '/',
    env: { TMPDIR: tmpdir() },
    stdio: ['ignore', 'ignore', stderr],
  })
  closeSync(stderr)
  child.unref()
  const ended = new AbortController()
  child.once('error', () => ended.abort()).once('exit', () => ended.abort())
  for (;;) {
    const socket = await connectToKeeper(dataDir)
    if (socket) return socket
    // Another server may have started one at the same time, so it is looked for once more.
    if (ended.signal.aborted) break
    await delay(BETWEEN_MS, undefined, { signal: ended.signal }).catch(() => {})
  }
  const other = await connectToKeeper(dataDir)
  if (other) return other
  const text = await readFile(errors, 'utf8').catch(() => '')
  throw new Error(`the process that keeps apps did not start: ${text.slice(-STDERR_CHARS)}`)
}
