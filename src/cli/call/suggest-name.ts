import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import type { Cli, Command, Completed, Flags, LoginFlags, NamedInApp } from '../command/command.ts'
import { HintedError } from '../command/hinted-error.ts'
import { printable } from '../terminal/printable.ts'
import { openClient } from './client.ts'

type Listed = Exclude<Completed, 'contexts'>

const TIMEOUT_SECONDS = 5
/** Things of the organization, and how completion calls them. */
const KINDS: Readonly<Record<string, Listed>> = { app: 'apps', 'data source': 'sources', database: 'databases' }
const KINDS_IN_APP: Readonly<Record<string, NamedInApp>> = {
  check: 'checks',
  function: 'functions',
  pipeline: 'pipelines',
}

export type Typed = { readonly command: Command; readonly args: readonly string[]; readonly flags: Flags }

/**
 * Adds the name that was typed to the refusal "No such app.", and the nearest one of those that the caller can list.
 * Returns every other error as it is.
 */
export async function withSuggestion(error: unknown, typed: Typed, cli: Cli): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') return error
  const [sentence, thing = ''] = /^No such ([a-z ]+?)(?:: [^.]*)?\./.exec(error.message) ?? []
  const lookup = sentence === undefined ? undefined : lookupOf(thing, typed)
  if (sentence === undefined || lookup === undefined) return error
  const { name, read } = lookup
  const detail = `No such ${thing} \`${printable(name)}\`.`
  const near = suggest(name, await readNames(read, typed.flags, cli))
  if (near !== undefined && near !== name)
    return new HintedError('NOT_FOUND', `${detail} Did you mean \`${printable(near)}\`?`, undefined, error)
  if (sentence.includes(': ')) return error
  return new ServiceError('NOT_FOUND', detail + error.message.slice(sentence.length), { cause: error })
}

/** The name that was typed for a thing of this kind, and how to read those that exist. */
type Lookup = { readonly name: string; readonly read: (client: Client) => Promise<string[]> }

function lookupOf(thing: string, typed: Typed): Lookup | undefined {
  const kind = Object.hasOwn(KINDS, thing) ? KINDS[thing] : undefined
  const name = kind && typedNameOf(kind, typed)
  if (kind && name !== undefined) return { name, read: async (client) => (await readers()).READERS[kind](client) }
  const inApp = Object.hasOwn(KINDS_IN_APP, thing) ? KINDS_IN_APP[thing] : undefined
  const place = (typed.command.arguments ?? []).findIndex((argument) => inApp && argument.inApp === inApp)
  const [alias, part] = [typed.args[0], typed.args[place]]
  if (!inApp || alias === undefined || part === undefined) return undefined
  return { name: part, read: async (client) => (await readers()).READERS_IN_APP[inApp](client, alias) }
}

const readers = () => import('./names.ts')

function typedNameOf(kind: Completed, { command, args, flags }: Typed): string | undefined {
  const place = (command.arguments ?? []).findIndex(({ completes }) => completes === kind)
  if (place >= 0) return args[place]
  const option = (command.options ?? []).find(({ completes }) => completes === kind)
  const value = option && flags[option.name]
  return typeof value === 'string' ? value : undefined
}

/** Returns no names if they cannot be read, because the refusal is what the person needs to know. */
async function readNames(read: Lookup['read'], flags: LoginFlags, cli: Cli): Promise<string[]> {
  const silent = { ...cli, note: () => {}, isForProgram: true }
  const { context } = flags
  const login = { timeout: TIMEOUT_SECONDS, ...(context !== undefined && { context }) }
  return await openClient(login, silent)
    .then(read, () => [])
    .catch(() => [])
}
