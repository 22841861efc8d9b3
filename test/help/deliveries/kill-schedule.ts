import { until } from '../until.ts'
import type { SlotsProcess } from '../work/slots-processes.ts'
import type { Sink } from './delivery-sink.ts'

export const WORKERS = 3
const PAUSE_EVERY = 10
const CRASH_EVERY = 25

/** `pauses` stop a worker until its leases have ended; `crashes` are immediate stops of Postgres. */
export type Faults = Record<'kills' | 'pauses' | 'crashes', number>

type Schedule = {
  kills: number
  events: number
  random: () => number
  sink: Sink
  start: () => Promise<SlotsProcess>
  emit: (count: number) => Promise<void>
  pausePastLease: (worker: SlotsProcess) => Promise<void>
  crash: () => Promise<void>
}

/**
 * Runs several workers, gives them events bit by bit, and after a random number of requests kills one of them, pauses
 * one or crashes Postgres. The same seed gives the same schedule, whatever the workers are. Returns the faults it made.
 */
export async function runKillSchedule({ kills, events, random, sink, start, ...acts }: Schedule): Promise<Faults> {
  const workers = await Promise.all(Array.from({ length: WORKERS }, start))
  const faults: Faults = { kills: 0, pauses: 0, crashes: 0 }
  const schedule = faultsOf(kills)
  const perFault = Math.ceil(events / schedule.length)
  for (const fault of schedule) {
    await acts.emit(perFault)
    const goal = sink.requests + 1 + Math.floor((random() * perFault) / 8)
    await until(() => sink.requests >= goal)
    const victim = Math.floor(random() * workers.length)
    if (fault === 'pauses') await acts.pausePastLease(workers[victim]!)
    if (fault === 'crashes') await acts.crash()
    if (fault === 'kills') {
      await workers[victim]!.kill()
      workers[victim] = await start()
    }
    faults[fault] += 1
  }
  return faults
}

function faultsOf(kills: number): (keyof Faults)[] {
  return Array.from({ length: kills }, (_, i): (keyof Faults)[] => [
    ...(i % PAUSE_EVERY === 5 ? ['pauses' as const] : []),
    ...(i % CRASH_EVERY === 7 ? ['crashes' as const] : []),
    'kills',
  ]).flat()
}
