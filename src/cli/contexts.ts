import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { ServiceError } from '#contract/errors.ts'

const Login = z.object({ api_url: z.string(), api_key: z.string() })
export type Login = z.infer<typeof Login>

const Contexts = z.object({ current: z.string().nullable(), contexts: z.record(z.string(), Login) })
export type Contexts = z.infer<typeof Contexts>

const NAME = /^[A-Za-z0-9[][A-Za-z0-9._:[\]-]{0,99}$/

export async function readContexts(file: string): Promise<Contexts> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new ServiceError('INTERNAL', `cannot read ${file}: ${error.message}`, { cause: error })
  })
  if (text === undefined) return { current: null, contexts: {} }
  try {
    return Contexts.parse(JSON.parse(text))
  } catch (cause) {
    throw new ServiceError('INTERNAL', `${file} is damaged: mend it or delete it and log in again`, { cause })
  }
}

/** Private from its first byte, and whole or not there: a new file takes the place of the old one. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  const folder = dirname(file)
  const fresh = `${file}.${randomUUID()}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await writeFile(fresh, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(fresh, file)
  } catch (cause) {
    await rm(fresh, { force: true }).catch(() => {})
    throw new ServiceError('INTERNAL', `cannot write ${file}: ${(cause as Error).message}`, { cause })
  }
}

/** Adds a login and overwrites none. Only the first becomes current. */
export function addContext(
  before: Contexts,
  login: Login,
  wanted: string | undefined,
): { name: string; contexts: Contexts } {
  const name = wanted === undefined ? freeName(before, new URL(login.api_url).host) : explicitName(before, wanted)
  const contexts = { ...before.contexts, [name]: login }
  return { name, contexts: { current: before.current ?? name, contexts } }
}

export function switchTo(before: Contexts, name: string): Contexts {
  if (!Object.hasOwn(before.contexts, name)) throw new ServiceError('NOT_FOUND', `there is no context ${name}`)
  return { ...before, current: name }
}

function freeName({ contexts }: Contexts, host: string): string {
  let name = host
  for (let suffix = 2; Object.hasOwn(contexts, name); suffix++) name = `${host}-${suffix}`
  return name
}

function explicitName({ contexts }: Contexts, name: string): string {
  if (!NAME.test(name)) {
    throw new ServiceError('INVALID_REQUEST', 'a context name has letters, digits and . _ : - only, 100 at most')
  }
  if (Object.hasOwn(contexts, name)) {
    throw new ServiceError('CONFLICT', `there is a context ${name} already: choose another name with --context`)
  }
  return name
}
