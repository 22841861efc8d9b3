import {
  allowAgent,
  allowMembersAgent,
  disconnectAgent,
  endAgentConnection,
  listAgents,
  listOrgAgents,
  revokeAgent,
  revokeAgentConnection,
} from '#contract/auth/agents.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { endConnection } from './end-connection.ts'
import { findAgentOf, findConnections, lockConnections } from './store/connections.ts'
import { allowGrants, type ConnectedAgentRow, pageGrants } from './store/grants.ts'

/** Routes that list and disconnect connected agents. Present also where agents can no longer connect. */
export function agentRoutes(deps: AuthDeps): Route[] {
  const page = async (org_id: string, user_id: string | null, cursor: string | undefined, limit: number) => {
    const filter = { org_id, user_id, epoch: deps.keys.epoch, now: deps.clock.now() }
    return toPage(await pageGrants(deps.db, { ...filter, before: readCursor(cursor), limit }), limit, present)
  }
  return [
    route(listAgents, async ({ limit, cursor }, { principal }) =>
      page(principal.org_id, userIdOf(principal), cursor, limit),
    ),
    route(listOrgAgents, async ({ org_id, limit, cursor }) => page(org_id, null, cursor, limit)),
    route(disconnectAgent, async ({ id }, { principal }) => {
      const own = { id, org_id: principal.org_id, user_id: userIdOf(principal) }
      return end(deps, principal, own, 'agent')
    }),
    route(endAgentConnection, async ({ id }, { principal }) => {
      const own = { id, org_id: principal.org_id, user_id: userIdOf(principal) }
      return end(deps, principal, own, 'connection')
    }),
    route(revokeAgent, async ({ org_id, id }, { principal }) => end(deps, principal, { id, org_id }, 'agent')),
    route(revokeAgentConnection, async ({ org_id, id }, { principal }) =>
      end(deps, principal, { id, org_id }, 'connection'),
    ),
    route(allowAgent, async ({ id }, { principal }) => {
      const user_id = userIdOf(principal)
      return allow(deps, principal, { id, org_id: principal.org_id, user_id, by: user_id })
    }),
    route(allowMembersAgent, async ({ org_id, id }, { principal }) => allow(deps, principal, { id, org_id })),
  ]
}

type ConnectionFilter = { readonly id: string; readonly org_id: string; readonly user_id?: string }

/** Ends one connection, or all that the person has to its agent in the organization. */
async function end(deps: AuthDeps, principal: Member, of: ConnectionFilter, what: 'connection' | 'agent') {
  const { db, clock, onRevoked } = deps
  const { id, ...filter } = of
  const by = { actor: actorOf(principal), user_id: principal.user_id }
  const ended = await db.tx(async (tx) => {
    const outcomes = []
    for (const one of await findEnding(tx, deps, of, what))
      outcomes.push(await endConnection(tx, { ...filter, id: one }, by, clock.now()))
    return outcomes.filter(Boolean).length
  })
  if (ended === 0) throw notFound('connected agent')
  onRevoked()
  return { id, revoked: true as const, connections: ended }
}

/** Finds what ends, in one order, so that two who end the same connections do not wait for each other. */
async function findEnding(
  tx: Tx,
  { keys, clock }: AuthDeps,
  of: ConnectionFilter,
  what: 'connection' | 'agent',
): Promise<string[]> {
  const agent = await findAgentOf(tx, of)
  if (!agent) return []
  // Otherwise the company could make a connection now that would outlive this.
  await lockConnections(tx, agent.user_id)
  // The company may not connect an agent again that the person ended, so that none of its connections can go on.
  if (what === 'connection' && agent.vouched_by === null) return [of.id]
  const siblings = await findConnections(tx, { ...agent, epoch: keys.epoch, now: clock.now() })
  return siblings.flatMap(({ id, org_id }) => (org_id === of.org_id ? [id] : [])).toSorted()
}

async function allow(
  { db, clock }: AuthDeps,
  principal: Member,
  of: { id: string; org_id: string; user_id?: string; by?: string },
) {
  await db.tx(async (tx) => {
    if ((await allowGrants(tx, of)) === 0) {
      const detail =
        'No connection of your company with this id that you ended. One that an admin ended, an admin allows.'
      throw new ServiceError('NOT_FOUND', detail)
    }
    const entry = { org_id: of.org_id, actor: actorOf(principal), at: clock.now() }
    await audit(tx, { ...entry, action: 'agent.allowed', target: of.id })
  })
  return { id: of.id, allowed: true as const }
}

function userIdOf({ user_id }: Member): string {
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can connect agents.')
  return user_id
}

function present({ org_id: _, created_at, expires_at, last_used_at, refused_by, ...row }: ConnectedAgentRow) {
  return {
    ...row,
    ended_by: refused_by === null ? null : refused_by === row.user_id ? ('person' as const) : ('admin' as const),
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
