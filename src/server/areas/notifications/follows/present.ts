import type { Follow } from '#contract/notifications/follows.ts'
import type { AppName } from '#ports/apps.ts'
import { reasonOf, statusOf } from '../ledger/present.ts'
import type { FollowWithOutcome } from './store.ts'

export function presentFollow(row: FollowWithOutcome, app: AppName | undefined): Follow {
  return {
    app: { id: row.app_id, alias: app?.alias ?? null, name: app?.name ?? null },
    categories: row.categories,
    frequency: row.timing,
    via: row.via,
    last_outcome: row.last && outcomeOf(row.last),
  }
}

function outcomeOf(last: NonNullable<FollowWithOutcome['last']>): Follow['last_outcome'] {
  const status = statusOf(last)
  if (status === 'pending') return null
  return { status, reason: reasonOf(last), event_type: last.type, occurred_at: last.occurred_at.toISOString() }
}
