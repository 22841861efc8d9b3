import type { Querier, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { CODE_SECONDS, type OAuthDeps } from '../deps.ts'
import {
  type AgentOf,
  type Connection,
  findConnections,
  findOtherRegistrations,
  lockConnections,
} from '../store/connections.ts'
import { findLiveGrant, lockGrants, revokeGrant } from '../store/grants.ts'
import { countToEnd, type Full, orderToEnd, type Place } from './place-rule.ts'

type Asking = AgentOf & { readonly isRegistered: boolean }

/** The person's connections to an agent, and those of them that end if they connect it once more. */
type Places = { readonly connections: readonly Connection[]; readonly ending: readonly Connection[] | Full }

/** Finds the places for one more connection. `of` is the grant of that connection, if there is one already. */
export async function findPlaces(db: Querier, asking: Asking, of?: string): Promise<Places> {
  const found = (await findConnections(db, asking)).filter(({ id }) => id !== of)
  const connections = found.filter(({ has_token }) => has_token)
  const approved = found.filter(({ has_token }) => !has_token)
  const others: Place[] = [...approved, ...(asking.isRegistered ? await findOtherRegistrations(db, asking) : [])]
  const ordered = orderToEnd(connections)
  const count = countToEnd(ordered, others, asking)
  return { connections, ending: typeof count === 'number' ? ordered.slice(0, count) : count }
}

/** A code is issued when the browser goes on, which is some time after the approval. */
const ABANDONED_MS = 2 * CODE_SECONDS * 1000

/** Revokes approvals of the agent for which no token was issued in time. */
export async function endAbandoned(tx: Tx, asking: AgentOf, by: string): Promise<void> {
  const expired = new Date(asking.now.getTime() - ABANDONED_MS)
  const found = await findConnections(tx, asking)
  const abandoned = found.filter(({ has_token, created_at }) => !has_token && created_at <= expired)
  await endFor(tx, abandoned, { id: by, user_id: asking.user_id }, asking.now)
}

/**
 * Ends the connections that the grant takes the place of. Called when its first token is issued, so that they keep
 * working if the new connection is never completed. Returns how many ended.
 */
export async function makePlace(tx: Tx, { keys }: Pick<OAuthDeps, 'keys'>, id: string, now: Date): Promise<number> {
  const grant = await findLiveGrant(tx, id, keys.epoch, now)
  if (!grant) return 0
  // Otherwise two computers that connect at once would not see each other.
  await lockConnections(tx, grant.user_id)
  const asking = { ...grant, isRegistered: grant.is_registered, epoch: keys.epoch, now }
  const { ending } = await findPlaces(tx, asking, id)
  if (typeof ending === 'string') return 0
  // With the grant itself, whose code is consumed next: whoever ends all these has the same order.
  await lockGrants(tx, [id, ...ending.map((one) => one.id)])
  await endFor(tx, ending, grant, now)
  return ending.length
}

async function endFor(tx: Tx, connections: readonly Connection[], by: { id: string; user_id: string }, at: Date) {
  // In one order, so that two who end the same connections do not wait for each other.
  for (const id of connections.map((one) => one.id).toSorted()) {
    const ended = await revokeGrant(tx, { id, now: at })
    if (!ended) continue
    const { org_id, client_name } = ended
    const detail = { client_name, replaced_by: by.id }
    await audit(tx, { org_id, actor: by.user_id, action: 'agent.replaced', target: id, detail, at })
  }
}
