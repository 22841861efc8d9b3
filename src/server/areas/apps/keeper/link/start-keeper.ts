import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { connectLocal } from '#lib/net/local-stream.ts'
import { namesLivingProcess } from '#lib/processes/former-process.ts'
import { startProcess } from '#lib/processes/start-process.ts'
import { keeperArguments, keeperEntry, keeperEnvironment } from '../command.ts'
import { findSocket, keeperFolder, upgradeFile } from '../place.ts'

const BETWEEN_MS = 20
/** How long a keeper may take to become another program. */
const UPGRADE_MS = 30_000
const STDERR_CHARS = 2_000

/** Connects to the keeper of a data folder, also while it becomes another program. Returns undefined if none runs. */
export async function connectToKeeper(dataDir: string): Promise<Duplex | undefined> {
  const deadline = performance.now() + UPGRADE_MS
  for (;;) {
    const isUpgrading = namesLivingProcess(upgradeFile(dataDir))
    const path = findSocket(dataDir)
    const socket = path === undefined ? undefined : await connectLocal(path)
    if (socket || !isUpgrading || performance.now() > deadline) return socket
    await delay(BETWEEN_MS)
  }
}

/** Starts the keeper of a data folder and connects to it. It goes on when this process ends. */
export async function startKeeper(dataDir: string): Promise<Duplex> {
  const errors = join(keeperFolder(dataDir), 'stderr')
  const stderr = openSync(errors, 'w', 0o600)
  const ended = new AbortController()
  try {
    startProcess(process.execPath, keeperArguments(keeperEntry(), dataDir, 'server'), {
      cwd: '/',
      env: keeperEnvironment(),
      stdio: ['ignore', 'ignore', stderr],
    })
      .once('error', () => ended.abort())
      .once('exit', () => ended.abort())
      .unref()
  } finally {
    closeSync(stderr)
  }
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
