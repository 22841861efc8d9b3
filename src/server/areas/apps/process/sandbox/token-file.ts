import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder with the file `token`. Whoever opens the file reads a whole token. */
export type TokenFile = AsyncDisposable & { readonly replace: (token: string) => Promise<void> }

type TokenFileOptions = {
  /** Made here. The sandbox gets this folder and not the file, because a mounted file could not be replaced. */
  readonly folder: string
  /** The user of the sandbox on this machine, where svc is root. */
  readonly uid: number | undefined
  readonly token: string
}

export async function openTokenFile({ folder, uid, token }: TokenFileOptions): Promise<TokenFile> {
  await mkdir(folder, { mode: 0o700 })
  if (uid !== undefined) await chown(folder, uid, uid)
  await write(folder, uid, token)
  return reopenTokenFile({ folder, uid })
}

/** Goes on with the file of a sandbox that runs. */
export function reopenTokenFile({ folder, uid }: Pick<TokenFileOptions, 'folder' | 'uid'>): TokenFile {
  let last = Promise.resolve()
  let isClosed = false
  return {
    // One after another, because all of them write the same new file.
    replace: (next) => {
      last = last.catch(() => {}).then(() => (isClosed ? undefined : write(folder, uid, next)))
      return last
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true
      await last.catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function write(folder: string, uid: number | undefined, token: string): Promise<void> {
  const next = join(folder, '.next')
  await rm(next, { force: true })
  await writeFile(next, token, { mode: 0o400, flag: 'wx' })
  if (uid !== undefined) await chown(next, uid, uid)
  await rename(next, join(folder, 'token'))
}
