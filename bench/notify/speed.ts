import { cpuMs } from '../help/processes.ts'
import type { Child } from './children.ts'
import { emitMany, untilMatched } from './events.ts'
import type { Arrivals } from './sink.ts'
import type { System } from './system.ts'

/** CPU in milliseconds of one notification, by process. */
type Cpu = { own: number; postgres: number; sink: number }
export type Speed = { perSecond: number; requests: number; duplicates: number; cpu: Cpu }

const EVENTS_PER_INSERT = 5_000

/** Sends what is ready already: intake and matching happen before the clock starts. */
export async function measureReady(system: System, postmaster: number, orgs: readonly string[], count: number) {
  const { db, sink, worker } = system
  const matching = await measured(system, postmaster, worker, count, async () => {
    await emitInParts(system, orgs, count)
    await untilMatched(db)
    return Date.now()
  })
  await sink.call('begin')
  const sending = await measured(system, postmaster, worker, count, async () => {
    await worker.call('startSlots')
    return (await sink.call<Arrivals>('arrived', count)).lastAt
  })
  await worker.call('stopSlots')
  return { matching, sending }
}

/** The whole way from the commit of the last event to the sink, with intake, matching and sending at the same time. */
export async function measureWhole(system: System, postmaster: number, orgs: readonly string[], count: number) {
  const { sink, worker } = system
  await sink.call('begin')
  await worker.call('startSlots')
  const speed = await measured(system, postmaster, worker, count, async () => {
    await emitInParts(system, orgs, count)
    return (await sink.call<Arrivals>('arrived', count)).lastAt
  })
  await worker.call('stopSlots')
  return speed
}

export async function measureRaw(system: System, postmaster: number, raw: Child, count: number): Promise<Speed> {
  await system.sink.call('begin')
  return measured(system, postmaster, raw, count, async () => {
    await raw.call('send', count)
    return Date.now()
  })
}

async function emitInParts({ db }: System, orgs: readonly string[], count: number): Promise<void> {
  for (let from = 0; from < count; from += EVENTS_PER_INSERT)
    await emitMany(db, orgs, Math.min(EVENTS_PER_INSERT, count - from))
}

/** `run` resolves with the time at which the last notification was done. */
async function measured(
  { sink }: System,
  postmaster: number,
  own: Child,
  count: number,
  run: () => Promise<number>,
): Promise<Speed> {
  const usage = () => [own.pid, postmaster, sink.pid].map(cpuMs)
  const before = usage()
  const started = Date.now()
  const endedAt = await run()
  const [ownMs, postgres, sinkMs] = usage().map((ms, i) => (ms - before[i]!) / count)
  const { requests, duplicates } = await sink.call<Arrivals>('counts')
  const cpu = { own: ownMs!, postgres: postgres!, sink: sinkMs! }
  return { perSecond: (count * 1000) / (endedAt - started), requests, duplicates, cpu }
}
