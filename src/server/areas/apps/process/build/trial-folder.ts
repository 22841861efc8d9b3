import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '#lib/files/remove-folder.ts'
import { endOrphans } from '../end-orphans.ts'

type TrialFolder = AsyncDisposable & { readonly path: string; readonly pidFile: string }

/** Longer than any trial takes, so that an older folder belongs to a process of svc that was killed. */
const ABANDONED_MS = 3_600_000

/** Makes the folder of one trial, which disposing removes. Also removes what killed processes of svc left. */
export async function openTrialFolder(dataDir: string, onError: (error: unknown) => void): Promise<TrialFolder> {
  const trials = join(dataDir, 'trials')
  await mkdir(trials, { recursive: true, mode: 0o700 })
  const path = await mkdtemp(join(trials, 'trial-'))
  const running = join(path, 'running')
  await mkdir(running, { mode: 0o700 })
  await removeAbandoned(trials, await modifiedAt(path), onError)
  return { path, pidFile: join(running, 'process'), [Symbol.asyncDispose]: () => removeFolder(path, onError) }
}

/** Removes the trials that killed processes of svc left. */
export async function removeAbandonedTrials(dataDir: string, onError: (error: unknown) => void): Promise<void> {
  const trials = join(dataDir, 'trials')
  if (existsSync(trials)) await removeAbandoned(trials, Date.now(), onError)
}

/** By the clock of the file system, which dates all of these folders. */
async function removeAbandoned(trials: string, now: number, onError: (error: unknown) => void): Promise<void> {
  for (const name of await readdir(trials)) {
    const folder = join(trials, name)
    if (now - (await modifiedAt(folder)) < ABANDONED_MS) continue
    await endOrphans(join(folder, 'running'))
    await removeFolder(folder, onError)
  }
}

/** A folder that is gone meanwhile counts as new. */
async function modifiedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY
}
