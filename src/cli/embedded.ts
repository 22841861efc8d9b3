import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Login } from './contexts.ts'
import { localError } from './hinted-error.ts'

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

/** Reads the one-time code for local sign-in. Undefined if there is none. */
export async function readSignInCode(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'sign-in-code'), 'utf8').catch(() => undefined)
  return text?.trim()
}
