import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

/** The app that comes with svc, which is as trusted as svc itself. */
type BundledApp = {
  readonly folder: string
  readonly startCommand: string
  /** The variables that svc gives it. Any other could make its program load other code. */
  readonly variables: readonly string[]
}

/** Which apps run where there is no sandbox: all, or the bundled one only. */
export type Unsandboxed = 'all' | BundledApp

type Candidate = {
  readonly folder: string
  readonly buildCommand: string | null
  /** Undefined: nothing is started yet. */
  readonly startCommand: string | undefined
  readonly environment: Readonly<Record<string, string>>
}

export const NO_SANDBOX =
  'This server has no sandbox for apps, so it runs none but its own example: an app would have all rights of the ' +
  'server. Its operator can install bubblewrap 0.8 or later and bash (on Debian: apt-get install bubblewrap) and ' +
  'restart, or set SVC_ALLOW_UNSANDBOXED_APPS=true if everybody who can deploy may read and change everything here'

/** Whether an app may run without a sandbox: its files, command and variables are those that come with svc. */
export async function mayRunUnsandboxed(app: Candidate, allowed: Unsandboxed): Promise<boolean> {
  if (allowed === 'all') return true
  if (app.buildCommand !== null) return false
  if (app.startCommand !== undefined && app.startCommand !== allowed.startCommand) return false
  if (!Object.keys(app.environment).every((name) => allowed.variables.includes(name))) return false
  return isSame(app.folder, allowed.folder)
}

async function isSame(folder: string, bundled: string): Promise<boolean> {
  const [entries, expected] = await Promise.all([folder, bundled].map((each) => readdir(each, { withFileTypes: true })))
  const [names, others] = [entries!, expected!].map((each) => each.map(({ name }) => name).sort())
  if (!isDeepStrictEqual(names, others)) return false
  if (!entries!.every((entry) => entry.isFile())) return false
  const same = await Promise.all(
    names!.map(async (name) => {
      const [own, other] = await Promise.all([folder, bundled].map((each) => readFile(join(each, name))))
      return own!.equals(other!)
    }),
  )
  return same.every(Boolean)
}
