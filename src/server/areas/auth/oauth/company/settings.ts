import { isDeepStrictEqual } from 'node:util'
import {
  createCompanyClient,
  deleteCompanyClient,
  endCompanySignOn,
  listCompanyClients,
  readCompanySignOn,
  setCompanySignOn,
} from '#contract/auth/company-sign-on.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { newId } from '#edge/ids.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { makeToken } from '../../model/token-format.ts'
import type { OAuthDeps } from '../deps.ts'
import { OFFERED_SCOPES } from '../resources.ts'
import type { Issuers } from './exchange.ts'
import {
  deleteCompanyClientRow,
  deleteSignOn,
  endCompanyConnections,
  findSignOn,
  insertCompanyClient,
  listCompanyClientRows,
  lockClients,
  upsertSignOn,
} from './store.ts'

const MAX_CLIENTS = 50

/** Routes by which an owner lets an identity provider vouch for agents. `issuers` is empty where the operator allows none. */
export function companySettingsRoutes(deps: OAuthDeps, issuers: Issuers): Route[] {
  const { db, clock, keys, onRevoked } = deps
  const entry = (principal: Member, org_id: string) => ({ org_id, actor: actorOf(principal), at: clock.now() })
  return [
    route(readCompanySignOn, ({ org_id }) => describe(db, deps, issuers, org_id)),
    route(setCompanySignOn, async ({ org_id, issuer, scopes }, { principal }) => {
      requireIssuer(issuers, issuer)
      const unknown = scopes.filter((scope) => !OFFERED_SCOPES.includes(scope))
      if (unknown.length > 0) {
        const detail = `scopes: agents can have only ${OFFERED_SCOPES.join(', ')}`
        throw new ServiceError('INVALID_REQUEST', detail)
      }
      const answer = await db.tx(async (tx) => {
        const now = clock.now()
        const signOn = { issuer, scopes: [...new Set(scopes)].toSorted() }
        const former = await findSignOn(tx, org_id)
        if (former && isDeepStrictEqual({ ...former, scopes: former.scopes.toSorted() }, signOn)) {
          return describe(tx, deps, issuers, org_id)
        }
        await upsertSignOn(tx, { org_id, ...signOn, now })
        await endCompanyConnections(tx, { org_id, now })
        const detail = { issuer, scopes }
        await audit(tx, { ...entry(principal, org_id), action: 'company-sign-on.set', target: org_id, detail })
        return describe(tx, deps, issuers, org_id)
      })
      onRevoked()
      return answer
    }),
    route(endCompanySignOn, async ({ org_id }, { principal }) => {
      const connections = await db.tx(async (tx) => {
        if (!(await deleteSignOn(tx, org_id))) throw notFound('trusted identity provider')
        const count = await endCompanyConnections(tx, { org_id, now: clock.now() })
        await audit(tx, { ...entry(principal, org_id), action: 'company-sign-on.ended', target: org_id })
        return count
      })
      onRevoked()
      return { ended: true as const, connections }
    }),
    route(listCompanyClients, async ({ org_id }) => ({
      items: (await listCompanyClientRows(db, org_id)).map(present),
    })),
    route(createCompanyClient, async ({ org_id, name }, { principal }) => {
      requireAny(issuers)
      const client_secret = makeToken('company_client')
      const row = { client_id: newId('oac'), name, created_at: clock.now() }
      await db.tx(async (tx) => {
        await lockClients(tx, org_id)
        if ((await listCompanyClientRows(tx, org_id)).length >= MAX_CLIENTS) {
          throw new ServiceError('CONFLICT', `An organization can allow ${MAX_CLIENTS} agents. Delete one first.`)
        }
        const hash = keys.hash('company_client', client_secret)
        await insertCompanyClient(tx, { ...row, org_id, hash, epoch: keys.epoch })
        const action = 'company-client.created'
        await audit(tx, { ...entry(principal, org_id), action, target: row.client_id, detail: { name } })
      })
      return { ...present(row), client_secret }
    }),
    route(deleteCompanyClient, async ({ org_id, id }, { principal }) => {
      const connections = await db.tx(async (tx) => {
        if (!(await deleteCompanyClientRow(tx, org_id, id))) throw notFound('agent of the company')
        const count = await endCompanyConnections(tx, { org_id, client_id: id, now: clock.now() })
        await audit(tx, { ...entry(principal, org_id), action: 'company-client.deleted', target: id })
        return count
      })
      onRevoked()
      return { client_id: id, deleted: true as const, connections }
    }),
  ]
}

async function describe(db: Querier, { publicUrls }: OAuthDeps, issuers: Issuers, orgId: string) {
  const signOn = await findSignOn(db, orgId)
  return {
    issuer: signOn?.issuer ?? null,
    scopes: signOn?.scopes ?? [],
    available_issuers: [...issuers.keys()],
    token_endpoint: `${publicUrls.issuer}/oauth/token`,
    audience: publicUrls.issuer,
  }
}

function present({ created_at, ...row }: { client_id: string; name: string; created_at: Date }) {
  return { ...row, created_at: created_at.toISOString() }
}

function requireAny(issuers: Issuers): void {
  if (issuers.size > 0) return
  const detail = 'The operator of this installation has not switched on sign-on by companies (SVC_COMPANY_SIGN_ON).'
  throw new ServiceError('CONFLICT', detail)
}

function requireIssuer(issuers: Issuers, issuer: string): void {
  requireAny(issuers)
  if (issuers.has(issuer)) return
  const detail = `issuer: must be an identity provider of this installation: ${[...issuers.keys()].join(', ')}`
  throw new ServiceError('INVALID_REQUEST', detail)
}
