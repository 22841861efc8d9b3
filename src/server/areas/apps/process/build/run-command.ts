import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Machine } from '../machine.ts'
import { repeat } from '../repeat.ts'
import type { SandboxOptions } from '../sandbox/sandbox.ts'
import type { ProcessEnd } from '../sandbox/status.ts'
import type { BuildPlace } from './build-place.ts'

export type CommandRequest = Pick<SandboxOptions, 'orgId' | 'appId' | 'hasNetwork' | 'onLine' | 'uid' | 'pidFile'> & {
  /** The files are in `source`, `home` is its HOME. Both are on disk and count for its limit. */
  readonly place: BuildPlace
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
  readonly limitMs: number
  readonly signal: AbortSignal
}

export type CommandEnd = ProcessEnd & { readonly isLate: boolean; readonly triedNetwork: boolean }

const DISK_CHECK_MS = 500

/** Runs a command of an app that may write to the app's source. Everything of it is gone when this resolves. */
export async function runCommand(request: CommandRequest, machine: Machine): Promise<CommandEnd> {
  const { orgId, appId, place, command, environment, hasNetwork, limitMs, uid, onLine, signal, pidFile } = request
  const { limits } = machine
  const { folder } = place
  const buildHome = join(folder, 'home')
  await makeHome(buildHome, uid)
  const sandbox = await machine.sandboxes.open({
    orgId,
    appId,
    folder: join(folder, 'source'),
    buildHome,
    memoryBytes: limits.buildMemoryBytes,
    limits,
    hasNetwork,
    apiOrigin: hasNetwork ? machine.apiOrigin() : undefined,
    onLine,
    // Whatever runs here may be a change that nobody has approved, so it must not act as the app.
    token: undefined,
    mayBeUnsandboxed: hasNetwork && 'missing' in (await machine.walls()),
    uid,
    pidFile,
  })
  const watching = new AbortController()
  let isLate = false
  const onAbort = () => sandbox.kill('killed: it was stopped')
  const timer = setTimeout(() => {
    isLate = true
    sandbox.kill(`killed: it took more than ${limitMs / 1000} seconds`, 'limit')
  }, limitMs)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  const checkDisk = async () => {
    const excess = await place.findExcess(await sandbox.firstPid)
    if (excess) sandbox.kill(`killed: ${excess.reason}`, excess.by)
  }
  void repeat(checkDisk, DISK_CHECK_MS, watching.signal)
  try {
    await sandbox.ready
      .then(() => sandbox.run(command, environment))
      .catch((error: Error) => sandbox.kill(error.message))
    const end = await sandbox.gone
    // A full file system may have cut files short, even if the command reports success.
    const excess = end.by === 'itself' ? await place.findExcess(undefined) : undefined
    const found = excess ? { code: null, description: `killed: ${excess.reason}`, by: excess.by } : end
    return { ...found, isLate, triedNetwork: sandbox.triedNetwork() }
  } finally {
    clearTimeout(timer)
    watching.abort()
    signal.removeEventListener('abort', onAbort)
  }
}

async function makeHome(folder: string, uid: number | undefined): Promise<void> {
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined
  if (isNew && uid !== undefined) await chown(folder, uid, uid)
}
