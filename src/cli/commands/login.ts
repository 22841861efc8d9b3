import { validateToken } from '#contract/auth/auth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'
import { connect } from '../call/api.ts'
import type { OutputFlags } from '../command/command.ts'
import { usageError } from '../command/hinted-error.ts'
import { addContext, type Contexts, type Login, readContexts, writeContexts } from '../login/contexts.ts'
import { parseApiKey, parseApiUrl } from '../login/credentials.ts'
import { findEmbedded } from '../login/embedded.ts'
import type { Cli } from '../terminal/cli.ts'
import { show } from '../terminal/output.ts'
import { askSecret } from '../terminal/prompt.ts'

type Flags = OutputFlags & {
  apiUrl?: string
  apiKey?: string
  apiKeyStdin?: boolean
  context?: string
  timeout?: number
}

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const file = cli.config.contextsFile
  const login = await readLogin(flags, cli)
  // The name is checked first, so that a name that is already used costs no call.
  add(await readContexts(file), login, flags.context)
  const principal = await cli.progress(`Asking ${login.api_url}`, whoIs(login, cli, flags.timeout))
  const added = add(await readContexts(file), login, flags.context)
  await writeContexts(file, added.contexts)
  printLogin(added, login, principal, flags, cli)
}

async function readLogin(flags: Flags, cli: Cli): Promise<Login> {
  if (flags.apiUrl === undefined) {
    const login = flags.apiKey || flags.apiKeyStdin ? undefined : await findEmbedded(cli.config.dataDir)
    if (login) return login
    const detail = `No instance found in ${cli.config.dataDir}. Name one with --api-url and --api-key-stdin.`
    throw usageError(detail)
  }
  const api_url = parseApiUrl(flags.apiUrl)
  return { api_url, api_key: parseApiKey(await readKey(flags, api_url, cli)) }
}

async function readKey({ apiKey, apiKeyStdin }: Flags, apiUrl: string, cli: Cli): Promise<string> {
  if (apiKey !== undefined && apiKeyStdin) throw usageError('Use either --api-key or --api-key-stdin, not both.')
  if (apiKeyStdin || apiKey === '-') return await cli.readStdin()
  if (apiKey !== undefined) return apiKey
  if (cli.interactive) return await askSecret(cli, `API key (make one at ${apiUrl}/settings/tokens): `)
  throw usageError(
    `The API key is missing. Make one at ${apiUrl}/settings/tokens, and give it with --api-key-stdin or --api-key.`,
  )
}

/** Adds the login, unless a context has it already, under the name that was asked for if there was one. */
function add(before: Contexts, login: Login, requestedName: string | undefined) {
  const same = Object.keys(before.contexts).filter((name) => {
    const { api_url, api_key } = before.contexts[name]!
    return api_url === login.api_url && api_key === login.api_key
  })
  const existingName = requestedName === undefined ? same[0] : same.find((name) => name === requestedName)
  return existingName === undefined
    ? addContext(before, login, requestedName)
    : { name: existingName, contexts: before }
}

async function whoIs(login: Login, cli: Cli, timeout: number | undefined): Promise<Principal> {
  try {
    return (await connect(login, cli, timeout).call(validateToken, { token: login.api_key })).principal
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'INVALID_TOKEN')
      throw new ServiceError('INVALID_TOKEN', `${login.api_url} does not accept this API key.`)
    if (error.code === 'NOT_FOUND')
      throw new ServiceError('NOT_FOUND', `There is no svc at ${login.api_url}. Check the address.`)
    throw error
  }
}

function printLogin(
  { name, contexts }: { name: string; contexts: Contexts },
  { api_url }: Login,
  principal: Principal,
  { output }: Flags,
  cli: Cli,
): void {
  const document = {
    context: name,
    current: contexts.current === name,
    api_url,
    org_id: principal.org_id,
    role: principal.role,
  }
  show(cli, output, document, () => `Logged in to ${api_url} as ${describe(principal)}. Context: ${name}.`)
  if (contexts.current !== name) {
    cli.note(`The current context is still ${contexts.current}. To switch: ${cli.config.program} context use ${name}`)
  }
}

function describe({ role, org_id }: Principal): string {
  return org_id === null ? 'a person without an organization' : `${role} in ${org_id}`
}
