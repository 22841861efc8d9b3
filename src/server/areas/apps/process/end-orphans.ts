import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endFormerProcess } from '#lib/processes/former-process.ts'
import { PLACE, removeWorkplace } from './sandbox/workplace.ts'

/** Ends the processes that the files of a folder name, and removes the files and the workplaces that they name. */
export async function endOrphans(running: string): Promise<void> {
  for (const name of await readdir(running).catch(() => [])) {
    const file = join(running, name)
    await endFormerProcess(file)
    if (name.endsWith(PLACE)) await removeWorkplace(file)
    await rm(file, { force: true })
  }
}
