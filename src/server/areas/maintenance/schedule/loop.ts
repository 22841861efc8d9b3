import { newId } from '#edge/ids.ts'
import type { Db } from '#lib/db/db.ts'
import { createAttempts } from '#lib/work/attempts.ts'
import type { Loop } from '#lib/work/loop.ts'
import type { HoldApp } from '#ports/apps.ts'
import { insertRun, type NewRun } from '../claims/store.ts'
import { holdApp, holdOrg } from '../settings/store.ts'
import { decideNight, isDueByChange } from './night.ts'
import { type EnabledApp, listEnabled, markSkipped, recordNight } from './store.ts'

export type NightDeps = {
  readonly db: Db
  readonly apps: { readonly hold: HoldApp }
  readonly onNightError: (error: unknown) => void
}

const POLL_SECONDS = 60

/** Starts the runs of each night. A night of an app is decided once: its row is unique, however many workers there are. */
export function nightLoop(deps: NightDeps): Loop {
  const attempt = createAttempts('the night of app', deps.onNightError)
  return {
    name: 'maintenance-nights',
    leader: true,
    tick: async (now, signal) => {
      for (const app of await listEnabled(deps.db)) {
        if (signal.aborted) break
        await attempt(app.app_id, now, () => decide(deps, app, now))
      }
      return new Date(now.getTime() + POLL_SECONDS * 1000)
    },
  }
}

async function decide({ db, apps }: NightDeps, app: EnabledApp, now: Date): Promise<void> {
  const { app_id: appId, org_id: orgId } = app
  const night = decideNight(
    {
      schedule: { cron: app.nightly_cron, timezone: app.timezone },
      cooldownHours: app.cooldown_hours,
      appId,
      since: app.since,
      lastCompleteSlot: app.last_complete_slot,
    },
    now,
  )
  if (night.decision === 'none' || night.decision === 'wait') return
  const { decision, slotAt } = night
  if (app.last_decided_slot && app.last_decided_slot >= slotAt) return
  await db.tx(async (tx) => {
    const { enabled, model } = await holdOrg(tx, orgId)
    const isActive = await apps.hold(tx, orgId, appId)
    if (!isActive || !enabled || model === null || !(await holdApp(tx, appId)).enabled) return
    const row = { appId, slotAt, decision: decision === 'start' ? 'started' : decision, at: now } as const
    if (!(await recordNight(tx, row)) || decision !== 'start') return
    const run: NewRun = {
      id: newId('exe'),
      orgId,
      appId,
      mode: 'nightly',
      model,
      dueBy: isDueByChange({ since: app.since, lastDecidedSlot: app.last_decided_slot, slotAt }) ? app.since_by : null,
      slotAt,
      at: now,
    }
    if (await insertRun(tx, run, null)) return
    await insertRun(tx, run, 'held_by_other')
    await markSkipped(tx, appId, slotAt)
  })
}
