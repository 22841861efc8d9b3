import { createHash } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { createSealer } from '#lib/crypto/seal.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import { createKeptConnections } from '#lib/net/kept-connections.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import type { People } from '#ports/people.ts'
import { createDeliveries } from '../../../src/server/areas/notifications/create-deliveries.ts'
import { fakeConnect, fakeResolve } from '../outside/internet.ts'

/** Short, so that a pause past the lease does not take a minute. */
const TIMING = { leaseSeconds: 6, minLeaseMs: 2_000 }
const ADDRESS = '93.184.215.14'

const people: People = {
  ownersAndAdmins: async () => ({ isKnown: true, value: [] }),
  member: async () => ({ isKnown: true, value: undefined }),
  memberByEmail: async () => ({ isKnown: true, value: undefined }),
  displayNames: async () => ({ isKnown: true, value: new Map() }),
  organization: async () => ({ isKnown: true, value: { name: 'Acme', slug: 'acme' } }),
  partHolders: async () => ({ isKnown: true, value: [] }),
}

/**
 * Runs what a worker runs of notifications, in a process of its own, until it is killed. Every message to
 * hooks.example.com reaches the sink on loopback; only a test can lead one there. Arguments: the database's URL, the
 * sink's port, the key of sealed secrets.
 */
async function main(url: string, port: number, key: string): Promise<void> {
  const report = (event: string, details: object = {}) =>
    process.stdout.write(`${JSON.stringify({ event, ...details })}\n`)
  const onError = (error: unknown) => report('error', { message: String(error) })
  const db = openPostgres({ url, onError })
  const safeFetch = createSafeFetch({
    resolve: fakeResolve({ 'hooks.example.com': [[ADDRESS]] }),
    connect: fakeConnect({ [ADDRESS]: { port } }),
    keptConnections: createKeptConnections(),
  })
  const sealer = createSealer([createHash('sha256').update(key).digest('hex')])
  const baseUrl = () => 'https://svc.example.com'
  const deps = { db, sealer, people, safeFetch, clock: systemClock, baseUrl, onError, timing: TIMING }
  const { loops, slots } = createDeliveries(deps)
  await runSlots(slots, { db, uptime: processUptime, onError: (_, error) => onError(error) })
  await runLoops(loops, { db, clock: systemClock, onError: (_, error) => onError(error) })
  report('started')
  // Most of these processes are killed, and would write what they compiled only at their end.
  flushCompileCache()
  // All other timers let the process end, and so do the connections while Postgres is down.
  setInterval(() => {}, 60_000)
}

const [url, port, key] = process.argv.slice(2)
await main(url!, Number(port), key!)
