import type { z } from 'zod'
import { validateToken } from '#contract/auth/auth.ts'
import { readOrgDeletion } from '#contract/auth/deletions.ts'
import { me } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'
import { connect } from '../call/api.ts'
import type { LoginFlags, OutputFlags } from '../command/command.ts'
import { type ActiveLogin, findLogin, notLoggedIn } from '../login/credentials.ts'
import type { Cli } from '../terminal/cli.ts'
import { show } from '../terminal/output.ts'
import { type Pair, toPairs } from '../terminal/table.ts'

type Me = z.infer<(typeof me)['output']>
type Deletion = NonNullable<z.infer<(typeof readOrgDeletion)['output']>['deletion']>
type Status = {
  logged_in: boolean
  context: string | null
  api_url: string | null
  /** Null if there is no login. */
  reachable: boolean | null
  principal: Pick<Principal, 'kind' | 'id' | 'org_id' | 'role' | 'expires_at'> | null
  /** The person that the login belongs to. Null for a workload, and if the instance did not say. */
  user: Me['user']
  org: Me['org']
  /** When the organization will be deleted, if an owner asked for that. Null also if the instance did not say. */
  deletion: Deletion | null
}

const NOBODY = { principal: null, user: null, org: null, deletion: null }
const NOT_LOGGED_IN: Status = { logged_in: false, context: null, api_url: null, reachable: null, ...NOBODY }

/** Prints the status document in every case, then the error if there is one. */
export async function run(_: [], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const login = await findLogin(cli.config, flags.context)
  const { status, error } = login
    ? await cli.progress(`Asking ${login.api_url}`, ask(login, cli, flags.timeout))
    : { status: NOT_LOGGED_IN, error: await notLoggedIn(cli.config) }
  show(cli, flags.output, status, () => toPairs(describe(status, cli)))
  if (error) throw error
}

async function ask(
  login: ActiveLogin,
  cli: Cli,
  timeout: number | undefined,
): Promise<{ status: Status; error?: ServiceError }> {
  const { context, api_url } = login
  try {
    const client = connect(login, cli, timeout)
    const { principal } = await client.call(validateToken, { token: login.api_key })
    const { user, org } = await names(client)
    const deletion = await pendingDeletion(client, org?.id)
    const found = { principal: pick(principal), user, org, deletion }
    return { status: { logged_in: true, context, api_url, reachable: true, ...found } }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const reachable = error.code !== 'UNAVAILABLE' && error.code !== 'TIMEOUT'
    return { status: { logged_in: false, context, api_url, reachable, ...NOBODY }, error }
  }
}

/** Returns no names if the instance refuses, because the login works without them. */
async function names(client: Client): Promise<Pick<Me, 'user' | 'org'>> {
  return await client.call(me, {}).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
    return { user: null, org: null }
  })
}

/** Returns null if the instance refuses, as an older one does, because the login works without this. */
async function pendingDeletion(client: Client, orgId: string | undefined): Promise<Deletion | null> {
  if (orgId === undefined) return null
  return await client.call(readOrgDeletion, { org_id: orgId }).then(
    ({ deletion }) => deletion,
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error
      return null
    },
  )
}

function pick({ kind, id, org_id, role, expires_at }: Principal): Status['principal'] {
  return { kind, id, org_id, role, expires_at }
}

function describe(status: Status, cli: Cli): Pair[] {
  const { logged_in, context, api_url, reachable, principal, user, org, deletion } = status
  return [
    ['Logged in', logged_in ? 'yes' : 'no'],
    ['Context', api_url && (context ?? 'from SVC_API_URL and SVC_API_KEY')],
    ['API URL', api_url],
    ['Reachable', api_url && (reachable ? 'yes' : 'no')],
    ['Person', user && (user.name === null ? user.email : `${user.name} <${user.email}>`)],
    ['Organization', principal && (org ? `${org.name} (${org.id})` : (principal.org_id ?? 'none yet'))],
    ['Deletion', deletion && `${cli.time(deletion.due_at)}; an owner can undo it: ${cli.config.program} org undelete`],
    ['Role', principal && (principal.role ?? 'none')],
    ['Kind', principal?.kind],
    ['Id', principal?.id],
    ['Expires', principal?.expires_at && cli.time(principal.expires_at)],
  ]
}
