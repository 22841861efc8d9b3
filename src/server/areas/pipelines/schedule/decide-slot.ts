import { GRACE_MS, START_WINDOW_MS } from '../registry/cron.ts'

type Slot = {
  readonly scheduledAt: Date
  readonly now: Date
  /** A connected worker serves the pipeline. */
  readonly isServed: boolean
  /** Any worker of the app is connected. */
  readonly isConnected: boolean
  /** Until when workers may take to connect again after a restart of svc. */
  readonly reconnectUntil: Date
}

type SlotDecision =
  | { readonly decision: 'run' }
  | { readonly decision: 'wait' }
  | { readonly decision: 'missed' | 'host_offline'; readonly code: string; readonly reason: string }

/** Decides what becomes of a slot that is due and that no other run of the pipeline is in the way of. */
export function decideSlot({ scheduledAt, now, isServed, isConnected, reconnectUntil }: Slot): SlotDecision {
  const isOverdue = now.getTime() - scheduledAt.getTime() > START_WINDOW_MS
  if (isServed) return isOverdue ? NOT_RUNNING : { decision: 'run' }
  const waitsUntil = Math.max(scheduledAt.getTime() + GRACE_MS, reconnectUntil.getTime())
  if (now.getTime() < waitsUntil) return { decision: 'wait' }
  return isConnected ? NOT_SERVED : OFFLINE
}

const NOT_RUNNING = {
  decision: 'missed',
  code: 'SERVICE_DOWN',
  reason: 'The service was not running at the scheduled time.',
} as const
const NOT_SERVED = {
  decision: 'missed',
  code: 'NOT_SERVED',
  reason: 'A worker was connected, but none that serves this pipeline.',
} as const
const OFFLINE = {
  decision: 'host_offline',
  code: 'NO_WORKER',
  reason: 'No worker was connected at the scheduled time.',
} as const
