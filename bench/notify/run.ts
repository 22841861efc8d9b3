import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SLOTS } from '../../src/server/areas/notifications/create-deliveries.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { commitMs, startStores, storesMissing } from '../help/stores.ts'
import { askWhileDelivering, startAsking } from './asking.ts'
import { makeBacklogs, measureClaim } from './backlog.ts'
import { startChild } from './children.ts'
import { addOrganizations, countStates, emitMany } from './events.ts'
import { measureLatency } from './latency.ts'
import type { Arrivals, Faults } from './sink.ts'
import { measureRaw, measureReady, measureWhole, type Speed } from './speed.ts'
import { type System, startSystem } from './system.ts'

/**
 * Measures deliveries of webhooks on Postgres, compared to undici alone with kept connections to the same sink. Rounds
 * alternate, so that a busy machine slows both; the ratios are what counts. Nothing is random but the sink's faults.
 */
const tenth = process.argv.includes('--tenth')
const COUNT = tenth ? 2_000 : 20_000
const ROUNDS = tenth ? 1 : 5
const ORGANIZATIONS = 32
const PER_MESSAGE = 50
const CLAIMS = tenth ? 10 : 40
const SECONDS = tenth ? 2 : 10
const FAULTS: Faults = { unanswered: 0.01, closedAfter: 0.02 }
const SEED = 7
/** With `--only=speeds` the other measurements are left out. */
const isOnlySpeeds = process.argv.includes('--only=speeds')
/** Speeds are judged in a full run only, because CI's machine is busy with other work. */
const floors: Floor[] = []

const missing = storesMissing()
if (missing) {
  console.log(`left out: ${missing}`)
  process.exit(tenth ? 0 : 1)
}
const dir = mkdtempSync(join(tmpdir(), 'svc-notify-run-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(dir, { recursive: true, force: true }))
try {
  const stores = stack.use(await startStores())
  const server = stores.databaseUrl
  console.log(
    `${ROUNDS} rounds of ${COUNT} notifications, medians; ${ORGANIZATIONS} destinations; seed ${SEED}; load ${loadavg()[0]!.toFixed(1)}`,
  )
  console.log(`a durable commit of one row takes ${(await commitMs(server)).toFixed(2)} ms on this disk`)
  const system = stack.use(await startSystem(server, 'deliveries', 'keep'))
  const single = await addOrganizations(system.db, system.key, { count: ORGANIZATIONS, perMessage: 1 })
  const together = await addOrganizations(system.db, system.key, { count: ORGANIZATIONS, perMessage: PER_MESSAGE })
  const peak = await speeds(system, stores.postmaster, single, together)
  if (!isOnlySpeeds) {
    await latency(system, single, peak / 4)
    await backlog(server)
    await asking(system, stores, single, peak / 2)
    await unknowns(server)
  }
  requireFloors(floors)
} finally {
  await stack.disposeAsync()
}

/** Returns how many deliveries of one notification each are made per second. */
async function speeds(
  system: System,
  postmaster: number,
  single: readonly string[],
  together: readonly string[],
): Promise<number> {
  await using raw = await startChild('raw.ts', [String(system.port), String(SLOTS.first)])
  const rounds: Record<'raw' | 'one' | 'match' | 'coalesced' | 'whole', Speed[]> = {
    raw: [],
    one: [],
    match: [],
    coalesced: [],
    whole: [],
  }
  await measureRaw(system, postmaster, raw, COUNT / 2)
  await measureReady(system, postmaster, single, COUNT / 2)
  for (let round = 0; round < ROUNDS; round++) {
    rounds.raw.push(await measureRaw(system, postmaster, raw, COUNT))
    const { matching, sending } = await measureReady(system, postmaster, single, COUNT)
    rounds.match.push(matching)
    rounds.one.push(sending)
    rounds.coalesced.push((await measureReady(system, postmaster, together, COUNT)).sending)
    rounds.whole.push(await measureWhole(system, postmaster, single, COUNT))
  }
  print('undici alone', rounds.raw)
  print('svc, one a POST', rounds.one)
  print(`svc, up to ${PER_MESSAGE} a POST`, rounds.coalesced)
  print('intake and match', rounds.match)
  print('svc, the whole way', rounds.whole)
  const one = rounds.one.map(({ perSecond }, i) => perSecond / rounds.raw[i]!.perSecond)
  const coalesced = rounds.coalesced.map(({ perSecond }, i) => perSecond / rounds.one[i]!.perSecond)
  judge('one a POST, of undici alone', one, { atLeast: 0.45 })
  judge('coalesced, of one a POST', coalesced, { atLeast: 3 })
  const all = [...rounds.one, ...rounds.coalesced, ...rounds.whole]
  floors.push({ name: 'duplicates', value: all.reduce((sum, { duplicates }) => sum + duplicates, 0), atMost: 0 })
  return median(rounds.one.map(({ perSecond }) => perSecond))
}

function print(name: string, all: readonly Speed[]): void {
  const of = (pick: (speed: Speed) => number, digits: number) => median(all.map(pick)).toFixed(digits)
  console.log(
    `${name.padEnd(20)}${of((speed) => speed.perSecond, 0).padStart(7)}/s   CPU: own ${of(({ cpu }) => cpu.own, 3)} ms, ` +
      `Postgres ${of(({ cpu }) => cpu.postgres, 3)} ms, sink ${of(({ cpu }) => cpu.sink, 3)} ms`,
  )
}

async function latency(system: System, orgs: readonly string[], perSecond: number): Promise<void> {
  const { p50, p99, max, events } = await measureLatency(system, orgs, perSecond, SECONDS)
  console.log(
    `commit to sink at ${perSecond.toFixed(0)}/s, ${events} events: p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`,
  )
  judge('p99 from commit to sink at a quarter of the peak, in ms', [p99], { atMost: 250 })
}

async function backlog(server: string): Promise<void> {
  await using backlogs = await makeBacklogs(server, tenth ? 100_000 : 1_000_000)
  const took: { few: number; many: number }[] = []
  // The first claims prepare statements and fill caches.
  for (let claim = -5; claim < CLAIMS; claim++) {
    const pair = { few: await measureClaim(backlogs.few), many: await measureClaim(backlogs.many) }
    if (claim >= 0) took.push(pair)
  }
  const [few, many] = [median(took.map((pair) => pair.few)), median(took.map((pair) => pair.many))]
  console.log(`a claim takes ${few.toFixed(2)} ms, and ${many.toFixed(2)} ms with a backlog of ${backlogs.rows} rows`)
  judge('a claim with a backlog, of one without', [many / few], { atMost: 1.5 })
}

async function asking(
  system: System,
  stores: { databaseUrl: string; redisUrl: string },
  orgs: readonly string[],
  perSecond: number,
): Promise<void> {
  await using source = await startAsking(stores, dir, tenth ? 2_000 : 20_000)
  await source.ask(SECONDS / 2)
  const ratios: number[] = []
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    const alone = (await source.ask(SECONDS / 2)).perSecond
    const both = await askWhileDelivering(source, system, orgs, { perSecond, seconds: SECONDS / 2 })
    console.log(
      `asking ${alone.toFixed(0)}/s alone, ${both.asked.toFixed(0)}/s beside ${both.delivered.toFixed(0)} deliveries/s`,
    )
    ratios.push(both.asked / alone)
  }
  judge('asking beside deliveries at half speed, of asking alone', ratios, { atLeast: 0.75 })
}

/** Prints how many deliveries nobody can know the outcome of, with kept and with new connections. */
async function unknowns(server: string): Promise<void> {
  for (const connections of ['keep', 'new'] as const) {
    await using system = await startSystem(server, `faults_${connections}`, connections)
    const orgs = await addOrganizations(system.db, system.key, { count: ORGANIZATIONS, perMessage: 1 })
    await system.sink.call('begin', FAULTS)
    await system.worker.call('startSlots')
    await measureFaults(system, orgs, connections)
    await system.worker.call('stopSlots')
  }
}

async function measureFaults(system: System, orgs: readonly string[], connections: string): Promise<void> {
  await emitMany(system.db, orgs, COUNT)
  for (;;) {
    const { sent = 0, unknown = 0, ...others } = await countStates(system.db)
    if (sent + unknown === COUNT) {
      const { broken, duplicates } = await system.sink.call<Arrivals>('counts')
      console.log(
        `${connections === 'keep' ? 'kept' : 'new'} connections: ${unknown} unknown of ${COUNT}, ${broken} broken by the sink`,
      )
      floors.push({ name: `duplicates with faults, ${connections}`, value: duplicates, atMost: 0 })
      return
    }
    if ('failed' in others) throw new Error('a delivery failed')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function judge(name: string, values: readonly number[], bound: { atLeast: number } | { atMost: number }): void {
  const value = median(values)
  const rounds = values.length > 1 ? ` (${values.map((one) => one.toFixed(2)).join(' ')})` : ''
  if (!tenth) floors.push({ name: `${name}${rounds}`, value, ...bound })
  else console.log(`${name}: ${value.toFixed(2)}${rounds}`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
