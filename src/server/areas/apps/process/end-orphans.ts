import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import { PLACE, removeWorkplace } from './sandbox/workplace.ts'

/**
 * Ends the processes that the files of a folder name, and removes the files and the workplaces that they name. `start`:
 * only those whose names begin with it, which are the files of one process.
 */
export async function endOrphans(running: string, start = ''): Promise<void> {
  const names = await readdir(running).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(start))) {
    const file = join(running, name)
    await endFormerProcess(file)
    if (name.endsWith(PLACE)) await removeWorkplace(file)
    await rm(file, { force: true })
  }
}
