import { eventLink, eventSubject, readStoredEvent } from '#contract/core/events.ts'
import type { Delivery } from '#contract/notifications/deliveries.ts'
import { PARKED_REASON } from '../store/park-notifications.ts'
import type { LedgerRow, LedgerStatus } from './store.ts'

type Progress = Pick<LedgerRow, 'dropped_reason' | 'state' | 'reason' | 'attempt'>

export function statusOf({ dropped_reason, state, attempt }: Progress): LedgerStatus {
  if (dropped_reason !== null) return 'not_sent'
  switch (state) {
    case 'sent':
      return 'delivered'
    case 'failed':
    case 'unknown':
    case 'dropped':
      return 'not_sent'
    case 'pending':
      return attempt ? 'retrying' : 'pending'
    case 'sending':
      return attempt && attempt > 1 ? 'retrying' : 'pending'
    case null:
      return 'pending'
    default:
      throw new Error(`no such state: ${String(state satisfies never)}`)
  }
}

/** An unknown outcome shows as failed, with a reason that says so. */
function stateOf({ dropped_reason, state }: LedgerRow): Delivery['state'] {
  if (dropped_reason !== null) return 'dropped'
  return state === 'unknown' ? 'failed' : (state ?? 'pending')
}

export function reasonOf({ dropped_reason, state, reason }: Progress): string | null {
  if (dropped_reason !== null) return dropped_reason
  return state === 'unknown' && reason !== PARKED_REASON ? 'outcome_unknown' : reason
}

/** An entry without a destination that was not dropped waits for a release that can read its event. */
function isUnreadable({ kind, dropped_reason }: LedgerRow): boolean {
  return kind === 'none' && dropped_reason === null
}

export function presentLedgerRow(row: LedgerRow, baseUrl: string): Delivery {
  const event = readStoredEvent(row)
  const status = statusOf(row)
  return {
    id: row.id,
    event: {
      id: row.event_id,
      type: row.type,
      subject: event ? eventSubject(event) : row.type,
      occurred_at: row.occurred_at.toISOString(),
      app: event && 'app' in event.body ? event.body.app.alias : null,
      link: event ? new URL(eventLink(event), baseUrl).href : null,
    },
    destination:
      row.kind === 'none'
        ? null
        : { kind: row.kind, channel_id: row.channel_id, user_id: row.user_id, label: row.label },
    status,
    state: stateOf(row),
    reason: isUnreadable(row) ? 'unreadable' : reasonOf(row),
    delivery_id: row.delivery_id,
    attempts: row.attempt ?? 0,
    next_attempt_at: (row.next_at ?? (status === 'pending' ? row.window_end : null))?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}
