import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the files of a site that `makeSite` made at build time. */
export async function readSite(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = await readdir(folder)
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)),
  )
}
