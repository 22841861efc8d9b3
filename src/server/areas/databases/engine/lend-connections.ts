import type pg from 'pg'

type Lending = {
  /** Throws the driver's error if no connection becomes free in time. */
  readonly take: () => Promise<pg.PoolClient>
  /** Lets the next caller have the connection; with a reason the connection is closed instead. */
  readonly giveBack: (client: pg.PoolClient, broken?: Error) => void
}

/** `lentAt` is when the pool lent the connection, on the clock of `performance.now()`. */
type State = { lentAt: number; isLost: boolean }

/** Gives a waiting caller a connection, or its place among those who may ask the pool for one. */
type Serve = (client: pg.PoolClient | undefined) => void

/** After so long a connection goes back to the pool, which closes connections that are too old. */
const MAX_PASSED_ON_MS = 1_000

/**
 * Lends the connections of a pool and passes them on from one caller to the next while callers wait. Each return to the
 * pool takes two timers and several listeners, which under load was a twentieth of a question's processor time.
 */
export function lendConnections(pool: pg.Pool, limitMs: number): Lending {
  const states = new WeakMap<pg.PoolClient, State>()
  const waiting: Serve[] = []
  let lentCount = 0

  const endPlace = () => {
    const serve = waiting.shift()
    if (serve) serve(undefined)
    else lentCount--
  }
  const takeFromPool = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect()
      const state = states.get(client) ?? track(client)
      state.lentAt = performance.now()
      states.set(client, state)
      return client
    } catch (error) {
      endPlace()
      throw error
    }
  }
  const giveBack: Lending['giveBack'] = (client, broken) => {
    const { isLost, lentAt } = states.get(client)!
    const isUsable = !broken && !isLost && !pool.ending && performance.now() - lentAt < MAX_PASSED_ON_MS
    const serve = isUsable ? waiting.shift() : undefined
    if (serve) return serve(client)
    client.release(broken)
    endPlace()
  }
  const waitForTurn = (): Promise<pg.PoolClient> => {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    let isOver = false
    const end = (settle: () => void) => {
      clearTimeout(timer)
      if (!isOver) settle()
      isOver = true
    }
    const serve: Serve = (passed) => {
      if (passed) return end(() => resolve(passed))
      takeFromPool().then(
        (client) => (isOver ? giveBack(client) : end(() => resolve(client))),
        (error: unknown) => end(() => reject(error)),
      )
    }
    const timer = setTimeout(() => {
      const place = waiting.indexOf(serve)
      if (place !== -1) waiting.splice(place, 1)
      end(() => reject(new Error('timeout exceeded when trying to connect')))
    }, limitMs)
    waiting.push(serve)
    return promise
  }
  return {
    take() {
      if (lentCount >= pool.options.max) return waitForTurn()
      lentCount++
      return takeFromPool()
    },
    giveBack,
  }
}

/** The listener also keeps an `error` event from ending the process. The next statement fails with the reason. */
function track(client: pg.PoolClient): State {
  const state = { lentAt: 0, isLost: false }
  client.on('error', () => {
    state.isLost = true
  })
  return state
}
