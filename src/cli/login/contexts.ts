import { chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import type { Config } from '../command/config.ts'
import { localError, usageError } from '../command/hinted-error.ts'
import { replaceFile } from '../command/replace-file.ts'

export type Login = { api_url: string; api_key: string }
export type Contexts = { current: string | null; contexts: Record<string, Login> }

const YOUR_FILE = 'Check the permissions of the file and its folder, and the free space on the disk.'
const NAME = /^[A-Za-z0-9[][A-Za-z0-9._:[\]-]{0,99}$/

export async function readContexts(file: string): Promise<Contexts> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw localError(`Cannot read ${file}: ${error.message}.`, error, YOUR_FILE)
  })
  if (text === undefined) return { current: null, contexts: {} }
  try {
    return parseContexts(JSON.parse(text))
  } catch (cause) {
    throw localError(`${file} is damaged.`, cause, 'Repair it, or delete it and log in again.')
  }
}

/** Checks the file without zod, so that commands that need only this file start faster. */
function parseContexts(value: unknown): Contexts {
  const { current, contexts } = value as Record<string, unknown>
  const logins = Object.entries(contexts as Record<string, Partial<Login>>)
  const whole = logins.every(([, login]) => typeof login.api_url === 'string' && typeof login.api_key === 'string')
  if (!whole || !(current === null || typeof current === 'string')) throw new Error('not a list of contexts')
  return { current, contexts: Object.fromEntries(logins) as Record<string, Login> }
}

/** Replaces the file in one step. Only the user can read it, from the moment it is created. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  const folder = dirname(file)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    await replaceFile(file, `${JSON.stringify(contexts, null, 2)}\n`, 0o600)
  } catch (cause) {
    throw localError(`Cannot write ${file}: ${(cause as Error).message}.`, cause, YOUR_FILE)
  }
}

/** Adds a login without overwriting another. The first login becomes the current one. */
export function addContext(
  before: Contexts,
  login: Login,
  requestedName: string | undefined,
): { name: string; contexts: Contexts } {
  const host = new URL(login.api_url).host
  const name = requestedName === undefined ? unusedName(before, host) : checkedName(before, requestedName)
  const contexts = { ...before.contexts, [name]: login }
  return { name, contexts: { current: before.current ?? name, contexts } }
}

export function switchTo(before: Contexts, name: string, config: Pick<Config, 'program'>): Contexts {
  if (!Object.hasOwn(before.contexts, name)) throw noContext(name, before, config)
  return { ...before, current: name }
}

/** Removes a context. If it was the current one, no context is current until the user chooses another. */
export function removeContext(before: Contexts, name: string, config: Pick<Config, 'program'>): Contexts {
  if (!Object.hasOwn(before.contexts, name)) throw noContext(name, before, config)
  const { [name]: _, ...contexts } = before.contexts
  return { current: before.current === name ? null : before.current, contexts }
}

export function noContext(name: string, { contexts }: Contexts, { program }: Pick<Config, 'program'>): ServiceError {
  const near = suggest(name, Object.keys(contexts))
  const next = near === undefined ? `List them with ${program} context list.` : `Did you mean ${near}?`
  return new ServiceError('NOT_FOUND', `No such context: ${name}. ${next}`)
}

function unusedName({ contexts }: Contexts, host: string): string {
  let name = host
  for (let suffix = 2; Object.hasOwn(contexts, name); suffix++) name = `${host}-${suffix}`
  return name
}

function checkedName({ contexts }: Contexts, name: string): string {
  if (!NAME.test(name)) {
    throw usageError('A context name can have letters, digits and . _ : - only, at most 100 in all.')
  }
  if (Object.hasOwn(contexts, name)) {
    throw new ServiceError('CONFLICT', `A context named ${name} already exists. Choose another name with --context.`)
  }
  return name
}
