import { useSyncExternalStore } from 'react'

const MINUTE_MS = 60_000

/** Returns the time to the minute, and again with each minute, so that relative times stay true. */
export function useNow(): Date {
  const minute = useSyncExternalStore(everyMinute, () => Math.floor(Date.now() / MINUTE_MS))
  return minute === Math.floor(Date.now() / MINUTE_MS) ? new Date() : new Date(minute * MINUTE_MS)
}

function everyMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, MINUTE_MS)
  return () => clearInterval(timer)
}
