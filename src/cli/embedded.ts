import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Login } from './contexts.ts'

/** The instance that runs on this folder: the first start left its address and a key in the data folder. */
export async function findEmbedded(dataDir: string): Promise<Login | undefined> {
  const text = await readFile(join(dataDir, 'first-run.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { base_url, api_key } = JSON.parse(text) as Record<string, unknown>
  return typeof base_url === 'string' && typeof api_key === 'string' ? { api_url: base_url, api_key } : undefined
}

/** The one-time code of local sign-in, which only the owner of the folder can read. */
export async function readSignInCode(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'sign-in-code'), 'utf8').catch(() => undefined)
  return text?.trim()
}
