import { elevateSupport, endSupport, listOpenSupport, listSupport, startSupport } from '#contract/auth/support.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { emit } from '#ports/emit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { makeToken } from '../model/token-format.ts'
import { requireOrg } from '../store/orgs.ts'
import {
  elevateSupportRow,
  endSupportRow,
  findSupport,
  insertSupport,
  listOpenSupportRows,
  pageSupport,
  type SupportRow,
} from '../store/support.ts'

const SESSION_MS = 60 * 60_000

/** Sessions of vendor staff in a customer's organization: announced by events, at most an hour long, audited. */
export function supportRoutes({ db, clock, keys, onRevoked }: AuthDeps): Route[] {
  return [
    route(startSupport, async ({ org_id, staff_email, reason }) => {
      const now = clock.now()
      const token = makeToken('support')
      const row: SupportRow = {
        id: newId('sup'),
        org_id,
        staff_email,
        reason,
        created_at: now,
        expires_at: new Date(now.getTime() + SESSION_MS),
        elevated_at: null,
        ended_at: null,
      }
      await db.tx(async (tx) => {
        await requireOrg(tx, org_id)
        await insertSupport(tx, { ...row, hash: keys.hash('support', token), epoch: keys.epoch })
        await announce(tx, 'started', row, now)
      })
      return { ...present(row), token }
    }),
    route(elevateSupport, async ({ id }) => {
      const now = clock.now()
      const raised = await db.tx(async (tx) => {
        const row = await elevateSupportRow(tx, id, now)
        if (row) await announce(tx, 'elevated', row, now)
        return row
      })
      onRevoked()
      return present(raised ?? (await alreadyRaised(id)))
    }),
    route(endSupport, async ({ id }) => {
      const now = clock.now()
      const row = await db.tx(async (tx) => {
        const ended = await endSupportRow(tx, id, now)
        if (!ended) throw notFound('support session')
        await record(tx, 'support.ended', ended, now)
        return ended
      })
      onRevoked()
      return present(row)
    }),
    route(listSupport, async ({ org_id, limit, cursor }) => {
      return toPage(await pageSupport(db, org_id, { before: readCursor(cursor), limit }), limit, present)
    }),
    route(listOpenSupport, async ({ org_id }) => {
      const rows = await listOpenSupportRows(db, org_id, clock.now())
      return { items: rows.map(present) }
    }),
  ]

  /** Returns a session that was already raised. Throws when there is none or it is over. */
  async function alreadyRaised(id: string): Promise<SupportRow> {
    const row = await findSupport(db, id)
    if (!row) throw notFound('support session')
    if (row.ended_at || row.expires_at <= clock.now())
      throw new ServiceError('CONFLICT', 'This support session has ended.')
    return row
  }
}

async function announce(tx: Tx, step: 'started' | 'elevated', row: SupportRow, at: Date): Promise<void> {
  const event = { org_id: row.org_id, occurred_at: at }
  // Vendor staff are not users of the organization, so nobody is named as the acting user.
  const body = { actor_id: null, support_session_id: row.id }
  if (step === 'started') {
    await emit(tx, { ...event, type: 'org.support_access.started', body: { ...body, status: 'read_only' } })
  } else {
    await emit(tx, { ...event, type: 'org.support_access.elevated', body: { ...body, status: 'read_write' } })
  }
  await record(tx, `support.${step}`, row, at)
}

async function record(
  tx: Tx,
  action: string,
  { id, org_id, staff_email, reason }: SupportRow,
  at: Date,
): Promise<void> {
  await audit(tx, { org_id, actor: 'operator', action, target: id, detail: { staff_email, reason }, at })
}

function present(row: SupportRow) {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    elevated_at: row.elevated_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}
