import { notFound } from '#contract/core/errors.ts'
import {
  listAllProposals,
  listProposals,
  type Proposal,
  type ProposalStatus,
  readProposal,
} from '#contract/maintenance/proposals.ts'
import { readCursor, toCursor } from '#edge/route/paging.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { requireApp } from '#ports/apps.ts'
import { type ProposalDeps, presentProposals } from './present.ts'
import type { StoredStatus } from './status.ts'
import { type ProposalRow, pageProposals, requireProposal } from './store.ts'
import { listProof } from './validate/stored-proof.ts'

export function proposalRoutes(deps: ProposalDeps): Route[] {
  const { db, apps } = deps
  return [
    route(listProposals, async ({ alias, limit, cursor }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const rows = await pageProposals(db, { of: { appId: app.id }, after: readCursor(cursor), limit: limit + 1 })
      const items = (await presentProposals(deps, principal, rows.slice(0, limit))).map(toListed)
      return { items, next_cursor: rows.length > limit ? toCursor(rows[limit - 1]!.id) : null }
    }),
    route(listAllProposals, ({ status, limit, cursor }, { principal }) =>
      listOfStatus(deps, principal, { status, limit, after: readCursor(cursor) }),
    ),
    route(readProposal, async ({ alias, proposal_id, diff }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const row = await requireProposal(db, app.id, proposal_id)
      const [proposal] = await presentProposals(deps, principal, [row])
      if (!proposal) throw notFound('proposal')
      return diff ? { ...proposal, diff: await diffOf(deps, row) } : proposal
    }),
  ]
}

async function diffOf({ diff }: ProposalDeps, { org_id, app_id, revision_id, base_revision_id }: ProposalRow) {
  if (revision_id === null) return null
  return diff({ orgId: org_id, appId: app_id, revisionId: revision_id }, base_revision_id)
}

function toListed(proposal: Proposal): Proposal {
  return { ...proposal, proof: proposal.proof && listProof(proposal.proof) }
}

const BATCH = 100
/** Rows that one page looks at. Older ones are on the next page. */
const MAX_LOOKED_AT = 1_000

/** The stored statuses of which a shown status can come. */
const STORED: Record<ProposalStatus, readonly StoredStatus[]> = {
  validating: ['validating'],
  ready: ['ready'],
  invalid: ['invalid', 'ready'],
  approved: ['approved'],
  denied: ['denied'],
  superseded: ['ready', 'approved'],
  expired: ['ready'],
  deploying: ['approved'],
  deployed: ['approved'],
  deploy_failed: ['approved'],
}

type ListRequest = {
  readonly status: ProposalStatus | undefined
  readonly limit: number
  readonly after: string | null
}

/** Most statuses are worked out and not stored, so rows are read until enough have the one that was asked for. */
async function listOfStatus(deps: ProposalDeps, principal: Member, asked: ListRequest) {
  const { status, limit } = asked
  const items: Proposal[] = []
  let { after } = asked
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += BATCH) {
    const of = { orgId: principal.org_id }
    const rows = await pageProposals(deps.db, { of, ...(status && { statuses: STORED[status] }), after, limit: BATCH })
    for (const item of await presentProposals(deps, principal, rows)) {
      if (status !== undefined && item.status !== status) continue
      if (items.length === limit) return { items, next_cursor: toCursor(items.at(-1)!.id) }
      items.push(toListed(item))
    }
    if (rows.length < BATCH) return { items, next_cursor: null }
    after = rows.at(-1)!.id
  }
  return { items, next_cursor: toCursor(after!) }
}
