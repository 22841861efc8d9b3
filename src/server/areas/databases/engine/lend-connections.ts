import type pg from 'pg'

type Lending = {
  /** Throws the driver's error if no connection becomes free in time. */
  readonly take: () => Promise<pg.PoolClient>
  /** Lets the next caller have the connection; with a reason the connection is closed instead. */
  readonly giveBack: (client: pg.PoolClient, broken?: Error) => void
  /** Whether it was taken here and not from the pool itself. True until it is back in the pool. */
  readonly isLent: (client: pg.PoolClient) => boolean
}

/** `lentAt` is when the pool lent the connection, on the clock of `performance.now()`; undefined if it has it back. */
type State = { lentAt: number | undefined; isLost: boolean }

/** Gives a waiting caller a connection, or its place among those who may ask the pool for one. */
type Serve = (client: pg.PoolClient | undefined) => void

/** After so long a connection goes back to the pool, which closes connections that are too old. */
const MAX_PASSED_ON_MS = 1_000
/** How long connections that nobody waits for are kept for the next caller. */
const REST_MS = 20

/**
 * Lends the connections of a pool and passes them on from one caller to the next, also if the next one comes a little
 * later. Each return to the pool takes two timers and several listeners, which under load was a twentieth of a
 * question's processor time.
 */
export function lendConnections(pool: pg.Pool, limitMs: number): Lending {
  const states = new WeakMap<pg.PoolClient, State>()
  const waiting: Serve[] = []
  /** Empty while callers wait. */
  let resting: pg.PoolClient[] = []
  let endsRest = false
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
  const release = (client: pg.PoolClient, broken?: Error) => {
    client.release(broken)
    states.get(client)!.lentAt = undefined
  }
  const isUsable = (client: pg.PoolClient): boolean => {
    const { isLost, lentAt = -Infinity } = states.get(client)!
    return !isLost && !pool.ending && performance.now() - lentAt < MAX_PASSED_ON_MS
  }
  const rest = (client: pg.PoolClient) => {
    resting.push(client)
    lentCount--
    if (endsRest) return
    endsRest = true
    setTimeout(() => {
      endsRest = false
      for (const rested of resting) release(rested)
      resting = []
    }, REST_MS)
  }
  const giveBack: Lending['giveBack'] = (client, broken) => {
    if (broken || !isUsable(client)) {
      release(client, broken)
      return endPlace()
    }
    const serve = waiting.shift()
    if (serve) serve(client)
    else rest(client)
  }
  const takeResting = (): pg.PoolClient | undefined => {
    const client = resting.pop()
    if (!client || isUsable(client)) return client
    release(client)
    return takeResting()
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
    async take() {
      const client = takeResting()
      if (!client && lentCount >= pool.options.max) return waitForTurn()
      lentCount++
      return client ?? takeFromPool()
    },
    giveBack,
    isLent: (client) => states.get(client)?.lentAt !== undefined,
  }
}

/** The listener also keeps an `error` event from ending the process. The next statement fails with the reason. */
function track(client: pg.PoolClient): State {
  const state: State = { lentAt: undefined, isLost: false }
  client.on('error', () => {
    state.isLost = true
  })
  return state
}
