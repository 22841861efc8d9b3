import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { EMPTY_CLUSTER } from '#lib/db/embedded/cluster.ts'
import { workerEntry } from '#lib/files/bundle.ts'
import { WORKERS } from '../files/assets.ts'
import { Unusable } from './readiness.ts'

/** Packages that are loaded when an engine or the model is started, which can be long after the start. */
const PACKAGES = [
  '@electric-sql/pglite',
  '@electric-sql/pglite-pgvector',
  '@electric-sql/pglite-tools',
  'onnxruntime-node',
]

/** Rejects if a file that this process needs later is gone, for example because the packages were installed again. */
export async function checkProgramFiles(): Promise<void> {
  const files = [...WORKERS.map(workerEntry), EMPTY_CLUSTER, ...PACKAGES.flatMap(packageFile)]
  await Promise.all(files.map(checkFile))
}

async function checkFile(file: string): Promise<void> {
  await access(file).catch(() => {
    throw new Unusable(`a file of the running program is missing: ${basename(file)}; restart svc`)
  })
}

/** Node remembers where a package is, so it is found although it was removed. None where it was never installed. */
function packageFile(name: string): string[] {
  try {
    return [createRequire(import.meta.url).resolve(name)]
  } catch {
    return []
  }
}
