import { validateToken } from '#contract/auth/auth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'
import { connect } from '../api.ts'
import type { Cli } from '../cli.ts'
import type { LoginFlags, OutputFlags } from '../command.ts'
import { type ActiveLogin, findLogin, notLoggedIn } from '../credentials.ts'
import { show } from '../output.ts'
import { toPairs } from '../table.ts'

type Status = {
  logged_in: boolean
  context: string | null
  api_url: string | null
  /** Null if there is no login. */
  reachable: boolean | null
  principal: Pick<Principal, 'kind' | 'id' | 'org_id' | 'role' | 'expires_at'> | null
}

const NOT_LOGGED_IN: Status = { logged_in: false, context: null, api_url: null, reachable: null, principal: null }

/** Prints the status document in every case, then the error if there is one. */
export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const login = await findLogin(cli.config, flags.context)
  const { status, error } = login
    ? await cli.progress(`Asking ${login.api_url}`, ask(login, flags.timeout))
    : { status: NOT_LOGGED_IN, error: await notLoggedIn(cli.config) }
  show(cli, flags.output, status, () => toPairs(describe(status)))
  if (error) throw error
}

async function ask(login: ActiveLogin, timeout: number | undefined): Promise<{ status: Status; error?: ServiceError }> {
  const { context, api_url } = login
  try {
    const { principal } = await connect(login, timeout).call(validateToken, { token: login.api_key })
    return { status: { logged_in: true, context, api_url, reachable: true, principal: pick(principal) } }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const reachable = error.code !== 'UNAVAILABLE' && error.code !== 'TIMEOUT'
    return { status: { logged_in: false, context, api_url, reachable, principal: null }, error }
  }
}

function pick({ kind, id, org_id, role, expires_at }: Principal): Status['principal'] {
  return { kind, id, org_id, role, expires_at }
}

function describe({ logged_in, context, api_url, reachable, principal }: Status): [string, string][] {
  const pairs: [string, string][] = [['Logged in', logged_in ? 'yes' : 'no']]
  if (api_url !== null) {
    pairs.push(['Context', context ?? 'from SVC_API_URL and SVC_API_KEY'], ['API URL', api_url])
    pairs.push(['Reachable', reachable ? 'yes' : 'no'])
  }
  if (principal) {
    pairs.push(['Kind', principal.kind], ['Id', principal.id])
    pairs.push(['Organization', principal.org_id ?? 'none yet'], ['Role', principal.role ?? 'none'])
  }
  return pairs
}
