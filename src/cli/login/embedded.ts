import { randomBytes } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localError } from '../command/hinted-error.ts'
import type { Login } from './contexts.ts'

/** Reads the login that the first start wrote into the data folder. Undefined if there is no instance. */
export async function findEmbedded(dataDir: string): Promise<Login | undefined> {
  const file = join(dataDir, 'first-run.json')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const { base_url, api_key } = JSON.parse(text) as Record<string, unknown>
    return typeof base_url === 'string' && typeof api_key === 'string' ? { api_url: base_url, api_key } : undefined
  } catch (cause) {
    throw localError(`${file} is damaged.`, cause, 'Log in with --api-url and --api-key-stdin instead.')
  }
}

/**
 * Writes a new one-time code for local sign-in, because the one that the server wrote may be older than the 15 minutes
 * for which a code works. Undefined if the instance has no local sign-in.
 */
export async function newSignInCode(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, 'sign-in-code')
  const isThere = await stat(file).catch(() => undefined)
  if (!isThere) return undefined
  const code = randomBytes(16).toString('hex')
  await writeFile(`${file}.new`, `${code}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return code
}
