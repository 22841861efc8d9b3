import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporaryFolder } from '#lib/files/temporary-folder.ts'
import { runToEnd } from '#lib/processes/start-process.ts'

/**
 * Packs the client of a checkout in a process of its own, which takes about a second and no network. The server itself
 * never loads the compiler.
 */
export async function packCheckout(script: string): Promise<Buffer> {
  await using folder = await openTemporaryFolder('svc-client-')
  const file = join(folder.path, 'client.tgz')
  await runToEnd(process.execPath, [script, file])
  return await readFile(file)
}
