import { disconnectAgent, listAgents, listOrgAgents, revokeAgent } from '#contract/auth/agents.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/http/paging.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { type ConnectedAgentRow, pageGrants, revokeGrant } from './store/grants.ts'

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
    route(disconnectAgent, async ({ id }, { principal }) =>
      disconnect(deps, principal, { id, org_id: principal.org_id, user_id: userIdOf(principal) }),
    ),
    route(revokeAgent, async ({ org_id, id }, { principal }) => disconnect(deps, principal, { id, org_id })),
  ]
}

async function disconnect(
  { db, clock, onRevoked }: AuthDeps,
  principal: Member,
  grantFilter: { id: string; org_id: string; user_id?: string },
) {
  const at = clock.now()
  await db.tx(async (tx) => {
    const grant = await revokeGrant(tx, { ...grantFilter, now: at })
    if (!grant) throw notFound('connected agent')
    const action = grant.user_id === principal.user_id ? 'agent.disconnected' : 'agent.revoked'
    const detail = { client_name: grant.client_name, user_id: grant.user_id }
    await audit(tx, { org_id: grant.org_id, actor: actorOf(principal), action, target: grantFilter.id, detail, at })
  })
  onRevoked()
  return { id: grantFilter.id, revoked: true as const }
}

function userIdOf({ user_id }: Member): string {
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can connect agents.')
  return user_id
}

function present({ org_id: _, created_at, expires_at, last_used_at, ...row }: ConnectedAgentRow) {
  return {
    ...row,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
