import { createHash } from 'node:crypto'
import { buildConnector } from 'undici'
import { createSealer } from '#lib/crypto/seal.ts'
import { openPostgres } from '#lib/db/postgres.ts'
import type { Connect } from '#lib/net/connector.ts'
import { createKeptConnections } from '#lib/net/kept-connections.ts'
import { createSafeFetch } from '#lib/net/safe-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { processUptime } from '#lib/work/lease-watch.ts'
import { runLoops } from '#lib/work/loop.ts'
import { runSlots } from '#lib/work/slots.ts'
import { knownPeople, type People } from '#ports/people.ts'
import { createDeliveries } from '../../src/server/areas/notifications/create-deliveries.ts'
import { serveCalls } from './children.ts'

/**
 * Runs what a worker runs of notifications. Every message reaches the sink on loopback; only a benchmark or a test can
 * lead one there. Arguments: the database's URL, the sink's port, the key of sealed secrets, whether connections are
 * kept (`keep` or `new`).
 */
const [url, port, key, connections] = process.argv.slice(2)
const ADDRESS = '93.184.215.14'

const people: People = {
  ownersAndAdmins: async () => knownPeople([]),
  member: async () => knownPeople(undefined),
  memberByEmail: async () => knownPeople(undefined),
  displayNames: async () => knownPeople(new Map()),
  organization: async () => knownPeople({ name: 'Acme', slug: 'acme' }),
  partHolders: async () => knownPeople([]),
}

const toSink: Connect = ({ addresses: _, signal, host: __, servername: ___, ...options }, callback) => {
  const connect = buildConnector({ allowH2: false, timeout: 0, signal })
  connect({ ...options, protocol: 'http:', hostname: '127.0.0.1', port: port! }, callback)
}

const onError = (error: unknown) => console.error(error)
const db = openPostgres({ url: url!, onError })
const safeFetch = createSafeFetch({
  resolve: async () => [{ address: ADDRESS, family: 4 }],
  connect: toSink,
  ...(connections === 'keep' && { keptConnections: createKeptConnections() }),
})
const sealer = createSealer([createHash('sha256').update(key!).digest('hex')])
const baseUrl = () => 'https://svc.example.com'
const { loops, slots } = createDeliveries({ db, sealer, people, safeFetch, clock: systemClock, baseUrl, onError })
let sending: AsyncDisposable | undefined

serveCalls({
  startLoops: async () => {
    await runLoops(loops, { db, clock: systemClock, onError: (_, error) => onError(error) })
  },
  startSlots: async () => {
    sending = await runSlots(slots, { db, uptime: processUptime, onError: (_, error) => onError(error) })
  },
  /** Lets everything that is being sent end. */
  stopSlots: () => sending?.[Symbol.asyncDispose](),
})
