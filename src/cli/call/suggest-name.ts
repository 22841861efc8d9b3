import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { suggest } from '#contract/core/suggest.ts'
import type { Cli, Command, Completed, Flags, LoginFlags } from '../command/command.ts'
import { HintedError } from '../command/hinted-error.ts'
import { printable } from '../terminal/printable.ts'
import { openClient } from './client.ts'

const TIMEOUT_SECONDS = 5
const KINDS: Record<string, Exclude<Completed, 'contexts'>> = {
  app: 'apps',
  'data source': 'sources',
  database: 'databases',
}

export type Typed = { readonly command: Command; readonly args: readonly string[]; readonly flags: Flags }

/**
 * Adds the name that was typed to the refusal "No such app.", and the nearest one of those that the caller can list.
 * Returns every other error as it is.
 */
export async function withSuggestion(error: unknown, typed: Typed, cli: Cli): Promise<unknown> {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') return error
  const [sentence, thing = ''] = /^No such (app|data source|database)(?:: [^.]*)?\./.exec(error.message) ?? []
  const kind = KINDS[thing]
  const name = kind && typedNameOf(kind, typed)
  if (sentence === undefined || kind === undefined || name === undefined) return error
  const detail = `No such ${thing} \`${printable(name)}\`.`
  const near = suggest(name, await readNames(kind, typed.flags, cli))
  if (near !== undefined && near !== name)
    return new HintedError('NOT_FOUND', `${detail} Did you mean \`${printable(near)}\`?`, undefined, error)
  if (sentence.includes(': ')) return error
  return new ServiceError('NOT_FOUND', detail + error.message.slice(sentence.length), { cause: error })
}

function typedNameOf(kind: Completed, { command, args, flags }: Typed): string | undefined {
  const place = (command.arguments ?? []).findIndex(({ completes }) => completes === kind)
  if (place >= 0) return args[place]
  const option = (command.options ?? []).find(({ completes }) => completes === kind)
  const value = option && flags[option.name]
  return typeof value === 'string' ? value : undefined
}

/** Returns no names if they cannot be read, because the refusal is what the person needs to know. */
async function readNames(kind: Exclude<Completed, 'contexts'>, flags: LoginFlags, cli: Cli): Promise<string[]> {
  const { READERS } = await import('./names.ts')
  const read = async (client: Client) => READERS[kind](client)
  const silent = { ...cli, note: () => {}, isForProgram: true }
  const { context } = flags
  const login = { timeout: TIMEOUT_SECONDS, ...(context !== undefined && { context }) }
  return await openClient(login, silent)
    .then(read, () => [])
    .catch(() => [])
}
