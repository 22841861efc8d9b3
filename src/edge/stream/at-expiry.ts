import type { Clock } from '#lib/time/clock.ts'

/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls back once when the credentials of a caller have expired. Returns the function that takes the call back. */
export function atExpiry(expiresAt: string | null | undefined, clock: Clock, act: () => void): () => void {
  if (expiresAt == null) return () => {}
  const msLeft = () => Date.parse(expiresAt) - clock.now().getTime()
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(() => (msLeft() > 0 ? wait() : act()), Math.min(Math.max(msLeft(), 1), MAX_TIMER_MS))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
