import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { FaultApp } from './fault-app.ts'

export type Pair = z.output<typeof FaultApp> & { readonly name: string }

/** Reads the pairs of a folder beside this file, by name. */
export async function readPairs(folder: string): Promise<Pair[]> {
  const path = join(import.meta.dirname, folder)
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    names.map(async (name) => ({
      name: name.slice(0, -'.json'.length),
      ...FaultApp.parse(JSON.parse(await readFile(join(path, name), 'utf8'))),
    })),
  )
}
