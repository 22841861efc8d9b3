import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '#lib/db/db.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { checkWritable } from '#lib/files/data-folder.ts'
import { folderBytes } from '#lib/files/folder-bytes.ts'
import type { OperatorFetch } from '#lib/net/operator-fetch.ts'
import { askServer } from '../../process/control-socket.ts'
import { openCopies } from '../backup/embedded-copies.ts'
import { type Findings, messageOf, problem, warning } from './report.ts'

/**
 * Opens a copy of the embedded database, which the server that runs on the data folder makes, because only one process
 * can open the files themselves. Throws if the server makes none. The copy is removed with `stack`.
 */
export async function openCopyOfServer(dataDir: string, stack: AsyncDisposableStack): Promise<Db> {
  await checkWritable(dataDir, await folderBytes(join(dataDir, 'db')))
  const copies = stack.use(await openCopies(dataDir))
  const copy = join(copies.path, 'platform')
  if (!(await askServer(dataDir, { do: 'copy-platform', to: copy }))) {
    throw new Error('it does not answer, because it is starting or stopping')
  }
  return stack.use(await openEmbedded({ folder: copy, onError: () => undefined }))
}

/** Asks the server at its own address whether it is ready, and names what is not. */
export async function findReadinessFaults(dataDir: string, send: OperatorFetch): Promise<Findings> {
  const url = addressOf(dataDir)
  if (url === undefined)
    return warning('The address of the running server is not known.', 'Repeat when it has started.')
  try {
    const response = await send(new Request(`${url}/readyz`))
    const faults = failingParts(await response.json())
    if (response.ok && faults.length === 0) return []
    const message = `The server at ${url} ${response.ok ? 'is ready, but degraded' : 'is not ready'}: ${faults.join(', ') || response.status}.`
    return (response.ok ? warning : problem)(message, `See ${url}/readyz and the log of the server.`)
  } catch (error) {
    return problem(`The server at ${url} does not answer: ${messageOf(error)}.`, 'See its log, and start it again.')
  }
}

function addressOf(dataDir: string): string | undefined {
  try {
    const { base_url } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as { base_url?: string }
    return base_url
  } catch {
    return undefined
  }
}

function failingParts(body: unknown): string[] {
  const { dependencies = {} } = body as { dependencies?: Record<string, { status: string }> }
  return Object.entries(dependencies).flatMap(([name, { status }]) => (status === 'ok' ? [] : [`${name} (${status})`]))
}
