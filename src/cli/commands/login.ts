import type { Command } from 'commander'
import { validateToken } from '#contract/auth.ts'
import { ServiceError } from '#contract/errors.ts'
import type { Principal } from '#contract/principal.ts'
import { connect } from '../api.ts'
import type { Cli } from '../cli.ts'
import { addContext, type Login, readContexts, writeContexts } from '../contexts.ts'
import { parseApiKey, parseApiUrl } from '../credentials.ts'

type Flags = { apiUrl: string; apiKey: string; context?: string }

export function define(command: Command, cli: Cli): void {
  command
    .requiredOption('--api-url <url>', 'address of the instance')
    .requiredOption('--api-key <key>', 'your API key, or - to read it from stdin and keep it out of the shell history')
    .option('--context <name>', 'name for this login (default: the host of the address)')
    .addHelpText('after', '\nExample:\n  svc login --api-url https://svc.example.com --api-key - < key.txt')
    .action((flags: Flags) => run(flags, cli))
}

async function run(flags: Flags, cli: Cli): Promise<void> {
  const login = await parse(flags, cli)
  const file = cli.config.contextsFile
  // Named before the key is tried, so that a name that is taken costs no call.
  addContext(await readContexts(file), login, flags.context)
  const principal = await whoIs(login)
  const added = addContext(await readContexts(file), login, flags.context)
  await writeContexts(file, added.contexts)
  cli.print(`Logged in to ${login.api_url} as ${describe(principal)}. Context: ${added.name}`)
  if (added.contexts.current !== added.name) {
    cli.note(`The current context is still ${added.contexts.current}. To switch: svc context use ${added.name}`)
  }
}

async function parse(flags: Flags, cli: Cli): Promise<Login> {
  const key = flags.apiKey === '-' ? await cli.readStdin() : flags.apiKey
  return { api_url: parseApiUrl(flags.apiUrl), api_key: parseApiKey(key) }
}

async function whoIs(login: Login): Promise<Principal> {
  try {
    return (await connect(login).call(validateToken, { token: login.api_key })).principal
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'INVALID_TOKEN') throw new ServiceError('INVALID_TOKEN', 'this API key is not valid here')
    if (error.code === 'NOT_FOUND') throw new ServiceError('NOT_FOUND', `there is no svc at ${login.api_url}`)
    throw error
  }
}

function describe({ role, org_id }: Principal): string {
  return org_id === null ? 'a person in no organization yet' : `${role} in ${org_id}`
}
