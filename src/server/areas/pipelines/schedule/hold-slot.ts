import { RESTART_GRACE_MS } from '#ports/restart-grace.ts'

/** After so long without a process that decides about slots, a slot that has waited may wait once more. */
const HOLD_AGAIN_MS = 10 * 60_000

type Hold = { readonly now: Date; readonly heldUntil: Date | null; readonly reconnectUntil: Date }

/**
 * Bounds for how long a slot without a worker waits because of restarts of svc: two minutes from when it first waited for
 * that (`end`), however often svc is restarted meanwhile.
 */
export function holdSlot({ now, heldUntil, reconnectUntil }: Hold) {
  const isOld = heldUntil === null || heldUntil.getTime() + HOLD_AGAIN_MS <= now.getTime()
  const end = isOld ? new Date(now.getTime() + RESTART_GRACE_MS) : heldUntil
  return { end, reconnectUntil: end < reconnectUntil ? end : reconnectUntil }
}
