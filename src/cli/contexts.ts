import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'

export type Login = { api_url: string; api_key: string }
export type Contexts = { current: string | null; contexts: Record<string, Login> }

const NAME = /^[A-Za-z0-9[][A-Za-z0-9._:[\]-]{0,99}$/

export async function readContexts(file: string): Promise<Contexts> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new ServiceError('INTERNAL', `cannot read ${file}: ${error.message}`, { cause: error })
  })
  if (text === undefined) return { current: null, contexts: {} }
  try {
    return parseContexts(JSON.parse(text))
  } catch (cause) {
    throw new ServiceError('INTERNAL', `${file} is damaged: mend it or delete it and log in again`, { cause })
  }
}

/** By hand, so that commands which need nothing else start without the schema library. */
function parseContexts(value: unknown): Contexts {
  const { current, contexts } = value as Record<string, unknown>
  const logins = Object.entries(contexts as Record<string, Partial<Login>>)
  const whole = logins.every(([, login]) => typeof login.api_url === 'string' && typeof login.api_key === 'string')
  if (!whole || !(current === null || typeof current === 'string')) throw new Error('not a list of contexts')
  return { current, contexts: Object.fromEntries(logins) as Record<string, Login> }
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
  if (!Object.hasOwn(before.contexts, name)) throw noContext(name)
  return { ...before, current: name }
}

/** Without the current one none is current: which is next is for the person to say. */
export function removeContext(before: Contexts, name: string): Contexts {
  if (!Object.hasOwn(before.contexts, name)) throw noContext(name)
  const { [name]: _, ...contexts } = before.contexts
  return { current: before.current === name ? null : before.current, contexts }
}

export function noContext(name: string): ServiceError {
  return new ServiceError('NOT_FOUND', `there is no context ${name}: svc context list shows those there are`)
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
