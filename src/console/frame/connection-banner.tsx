import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useConnection } from '../session/connection.ts'

const AGAIN_MS = 3_000

/** Shows that the service does not answer, asks it again, and reads the page anew when it does. */
export function ConnectionBanner() {
  const { subscribe, reach, check } = useConnection()
  const queries = useQueryClient()
  const state = useSyncExternalStore(subscribe, reach)
  const isLost = state !== 'reached'
  useEffect(() => {
    if (!isLost) return
    const timer = setInterval(() => void (document.hidden || check()), AGAIN_MS)
    return () => {
      clearInterval(timer)
      void queries.invalidateQueries()
    }
  }, [isLost, check, queries])
  return (
    <div role="status">
      {isLost && (
        <p className="connection-banner">
          <strong>svc does not answer.</strong>{' '}
          {state === 'held'
            ? 'So this page stays open: what you typed is still there, and what it shows may be out of date. Try again when this line is gone.'
            : 'What this page shows may be out of date. It is read again as soon as svc answers.'}
        </p>
      )}
    </div>
  )
}
