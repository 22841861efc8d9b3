import { createContext, useContext } from 'react'

/** `held` is lost too, and a page was not opened because of it. */
type Reach = 'reached' | 'lost' | 'held'

export type Connection = {
  readonly reach: () => Reach
  readonly subscribe: (listener: () => void) => () => void
  /** Notes whether a request got an answer. A failure alone is no loss: it asks the service once more. */
  readonly report: (isAnswered: boolean) => void
  /** Asks the service now. */
  readonly check: () => Promise<boolean>
  /** Whether a page can be opened. Asks the service unless it answered a moment ago; a refusal makes the state `held`. */
  readonly mayOpen: () => Promise<boolean>
}

/** An answer that is older says too little about the next request. */
const FRESH_MS = 1_000

/** Knows whether the service answers. `probe` asks it and never throws. */
export function createConnection(probe: () => Promise<boolean>, now: () => number = Date.now): Connection {
  const listeners = new Set<() => void>()
  let reach: Reach = 'reached'
  let answeredMs = now()
  let checking: Promise<boolean> | undefined
  const become = (next: Reach) => {
    if (next === 'reached') answeredMs = now()
    if (next === reach) return
    reach = next
    for (const listener of listeners) listener()
  }
  const settle = (isAnswered: boolean): boolean => {
    if (isAnswered) become('reached')
    else if (reach === 'reached') become('lost')
    return isAnswered
  }
  const check = (): Promise<boolean> => {
    checking ??= probe()
      .then(settle)
      .finally(() => {
        checking = undefined
      })
    return checking
  }
  return {
    reach: () => reach,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    report: (isAnswered) => void (isAnswered ? become('reached') : check()),
    check,
    mayOpen: async () => {
      const isFresh = reach === 'reached' && now() - answeredMs < FRESH_MS
      if (isFresh || (await check())) return true
      become('held')
      return false
    },
  }
}

export const ConnectionContext = createContext<Connection | undefined>(undefined)

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext)
  if (!connection) throw new Error('useConnection needs a ConnectionContext above it')
  return connection
}
