import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '#lib/message-of.ts'

/** Far below the time that a token is good for, so that a failed write or a machine that slept has another chance. */
const REPLACE_MS = 60_000

/** Signs the tokens of one instance. */
export type InstanceTokens = {
  readonly sign: () => string
  /** How often the file gets a new token. */
  readonly replaceMs?: number | undefined
}

type TokenFileOptions = InstanceTokens & {
  /** Made here. The sandbox gets this folder and not the file, because a mounted file could not be replaced. */
  readonly folder: string
  /** The user of the sandbox on this machine, where svc is root. */
  readonly uid: number | undefined
  readonly onFault: (text: string) => void
}

/** Keeps a current token in the file `token` of the folder until it is closed. Whoever opens it reads a whole token. */
export async function openTokenFile(options: TokenFileOptions): Promise<AsyncDisposable> {
  const { folder, uid, sign, onFault, replaceMs = REPLACE_MS } = options
  await mkdir(folder, { mode: 0o700 })
  if (uid !== undefined) await chown(folder, uid, uid)
  const write = () => replaceToken(folder, uid, sign())
  await write()
  const closing = new AbortController()
  const replaced = (async () => {
    for (;;) {
      await sleep(replaceMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
      if (closing.signal.aborted) return
      await write().catch((error) => onFault(`The app's own token could not be replaced: ${messageOf(error)}.`))
    }
  })()
  const close = async () => {
    closing.abort()
    await replaced
    await rm(folder, { recursive: true, force: true })
  }
  return { [Symbol.asyncDispose]: close }
}

async function replaceToken(folder: string, uid: number | undefined, token: string): Promise<void> {
  const next = join(folder, '.next')
  await rm(next, { force: true })
  await writeFile(next, token, { mode: 0o400, flag: 'wx' })
  if (uid !== undefined) await chown(next, uid, uid)
  await rename(next, join(folder, 'token'))
}
