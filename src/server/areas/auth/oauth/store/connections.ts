import type { Querier, Tx } from '#lib/db/db.ts'
import { type Sql, sql } from '#lib/db/sql.ts'
import { LOOPBACK_ORIGIN } from './clients.ts'

/** A connection of a person to an agent, that is, a current grant. */
export type Connection = {
  id: string
  org_id: string
  org_name: string
  client_id: string
  resource: string
  /** Whether its client registered itself, so that it holds one of the places for registrations. */
  is_registered: boolean
  /** Whether it holds a place of the https origin that the asking client has. */
  is_of_origin: boolean
  /** Whether it has refresh tokens, which it gets with its first token. */
  has_token: boolean
  created_at: Date
  last_used_at: Date | null
  connected_from: string | null
  connected_with: string | null
}

/** The agent whose connections are meant: its client and the host that it redirects to. */
export type AgentOf = { client_id: string; redirect_host: string; user_id: string; epoch: string; now: Date }

/** Matches loopback hosts with any port. */
const LOOPBACK_HOST = '^(127[.]0[.]0[.]1|\\[::1\\]|localhost)(:[0-9]+)?$'

/**
 * SQL: whether grant `g` of client `c` is of the same agent: of the same client, or of another registration of the same
 * name that redirects to the same host (any loopback host). The redirect URI in use decides, because a registration can
 * list others as a disguise.
 */
const isSameAgent = ({ client_id, redirect_host }: AgentOf) => sql`
  (g.client_id = ${client_id}
   or (c.client_name = asking.client_name
       and (g.redirect_host = ${redirect_host}
            or (g.redirect_host ~ ${LOOPBACK_HOST} and ${redirect_host}::text ~ ${LOOPBACK_HOST}))))`

/** SQL: the person's current grants with the registrations of their clients, and that of the asking client. */
const currentGrants = ({ client_id, user_id, epoch, now }: AgentOf) => sql`
  from public.platform_access_grants g
  join auth.orgs o on o.id = g.org_id
  left join public.platform_oauth_clients c on c.client_id = g.client_id and c.registered_from is not null
  left join public.platform_oauth_clients asking on asking.client_id = ${client_id} and asking.registered_from is not null
  where g.user_id = ${user_id} and g.epoch = ${epoch} and g.revoked_at is null and g.expires_at > ${now}`

const isOfOrigin: Sql = sql`(c.origin !~ ${LOOPBACK_ORIGIN} and c.origin = asking.origin) is true`

/** Lets one at a time change how many connections the person has. */
export async function lockConnections(tx: Tx, userId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('svc.oauth.connections'), hashtext(${userId}))`)
}

/** Finds the person's connections to an agent, in all organizations, the one unused for longest first. */
export function findConnections(db: Querier, of: AgentOf): Promise<Connection[]> {
  return db.query<Connection>(sql`
    select g.id, g.org_id, o.name as org_name, g.client_id, g.resource, c.client_id is not null as is_registered,
           ${isOfOrigin} as is_of_origin, g.created_at, g.last_used_at, g.connected_from, g.connected_with,
           exists (select from auth.oauth_artifacts a where a.grant_id = g.id and a.kind = 'RefreshToken') as has_token
    ${currentGrants(of)} and ${isSameAgent(of)}
    order by coalesce(g.last_used_at, g.created_at), g.id`)
}

/** Finds the registrations of other agents that the person has connected, in all organizations. */
export function findOtherRegistrations(
  db: Querier,
  of: AgentOf,
): Promise<Pick<Connection, 'client_id' | 'is_of_origin'>[]> {
  return db.query(sql`
    select distinct g.client_id, ${isOfOrigin} as is_of_origin
    ${currentGrants(of)} and c.is_active and not coalesce(${isSameAgent(of)}, false)`)
}

type AgentOfGrant = Pick<AgentOf, 'client_id' | 'redirect_host' | 'user_id'> & { vouched_by: string | null }

/** Finds which agent and person a current connection is of, and who vouched for it. */
export async function findAgentOf(
  db: Querier,
  of: { id: string; org_id: string; user_id?: string },
): Promise<AgentOfGrant | undefined> {
  const [row] = await db.query<AgentOfGrant>(sql`
    select client_id, redirect_host, user_id, vouched_by from public.platform_access_grants
    where id = ${of.id} and org_id = ${of.org_id} and revoked_at is null
      and (${of.user_id ?? null}::text is null or user_id = ${of.user_id ?? null})`)
  return row
}
