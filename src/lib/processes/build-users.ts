import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { forgetProcess, namesLivingProcess, rememberProcess } from './former-process.ts'

const USERS = 'users'

/**
 * Marks a build as used by this process until it ends, so that later builds leave it. Does nothing where the folder
 * cannot be written to, as in an image: nothing removes builds there.
 */
export function holdBuild(folder: string): void {
  const file = join(folder, USERS, String(process.pid))
  try {
    mkdirSync(join(folder, USERS), { recursive: true })
    rememberProcess(file, process.pid)
  } catch {
    return
  }
  process.once('exit', () => forgetProcess(file, process.pid))
}

/** Takes all marks away, those of processes that end later too. */
export async function forgetUsers(folder: string): Promise<void> {
  await rm(join(folder, USERS), { recursive: true, force: true })
}

/** Removes the builds in a folder that no living process uses, except for those with the names in `keep`. */
export async function removeUnusedBuilds(folder: string, keep: readonly (string | undefined)[]): Promise<void> {
  if (!existsSync(folder)) return
  const builds = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const { name } of builds) {
    if (!keep.includes(name) && !isUsed(join(folder, name))) await rm(join(folder, name), { recursive: true })
  }
}

function isUsed(build: string): boolean {
  const users = join(build, USERS)
  return existsSync(users) && readdirSync(users).some((name) => namesLivingProcess(join(users, name)))
}
