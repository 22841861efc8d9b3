import {
  dismissFinding,
  type Finding,
  listFindings,
  readFinding,
  reopenFinding,
} from '#contract/maintenance/findings.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { requireApp, requireHeldApp } from '#ports/apps.ts'
import { auditBy } from '#ports/audit.ts'
import { formerRevisionOf } from '../detect/former-revision.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { explainFormer, explainKind } from './explain.ts'
import { type FindingRow, listRecent, requireFinding, setDismissal } from './store.ts'

const MAX_FINDINGS = 200

export function findingsRoutes(deps: MaintenanceDeps): Route[] {
  const { db, apps } = deps
  const presentWith = async (appId: string, rows: readonly FindingRow[]) => {
    const live = (await deps.deploys.live(db, [appId])).get(appId)?.liveRevisionId ?? null
    return rows.map((row) => presentFinding(row, live))
  }
  return [
    route(listFindings, async ({ alias }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      return { items: await presentWith(app.id, await listRecent(db, app.id, MAX_FINDINGS)) }
    }),
    route(readFinding, async ({ alias, fingerprint }, { principal }) => {
      const app = await requireApp(apps, principal.org_id, alias)
      const [finding] = await presentWith(app.id, [await requireFinding(db, app.id, fingerprint)])
      return finding!
    }),
    route(dismissFinding, ({ reason, ...one }, { principal }) => changeDismissal(deps, principal, one, reason)),
    route(reopenFinding, (one, { principal }) => changeDismissal(deps, principal, one, null)),
  ]
}

type One = { readonly alias: string; readonly fingerprint: string }

/** Dismisses a finding for a reason, or takes the dismissal back. */
function changeDismissal(
  { db, apps, clock, deploys }: MaintenanceDeps,
  principal: Member,
  one: One,
  reason: string | null,
) {
  return db.tx(async (tx) => {
    const at = clock.now()
    const app = await requireHeldApp(apps, tx, principal.org_id, one.alias)
    const { fingerprint } = await requireFinding(tx, app.id, one.fingerprint)
    await setDismissal(tx, app.id, fingerprint, reason === null ? null : { by: principal.user_id, reason, at })
    const action = reason === null ? 'finding.reopened' : 'finding.dismissed'
    const detail = { app: app.id, alias: app.alias, ...(reason !== null && { reason }) }
    await auditBy(tx, principal, { action, target: fingerprint, detail, at })
    const live = (await deploys.live(tx, [app.id])).get(app.id)?.liveRevisionId ?? null
    return presentFinding(await requireFinding(tx, app.id, fingerprint), live)
  })
}

function presentFinding(row: FindingRow, live: string | null): Finding {
  const { kind, dismissed_at, dismissed_by, dismissed_reason } = row
  const { explanation, look_at } = explainKind(kind)
  const formerRevision = formerRevisionOf(row.lines, live)
  const isClosed = row.is_closed || formerRevision !== null
  return {
    fingerprint: row.fingerprint,
    kind,
    state: dismissed_at !== null ? 'dismissed' : isClosed ? 'closed' : 'open',
    summary: row.summary,
    explanation: formerRevision === null ? explanation : explainFormer(formerRevision),
    former_revision_id: formerRevision,
    look_at: [...look_at],
    path: row.path,
    symbol: row.symbol,
    lines: row.lines.map(({ at, text, revision_id = null }) => ({ at, text, revision_id })),
    first_seen_at: row.first_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    seen_by_runs: row.count,
    dismissed:
      dismissed_at === null
        ? null
        : { at: dismissed_at.toISOString(), by: dismissed_by, reason: dismissed_reason ?? '' },
  }
}
