import { emitMany } from './events.ts'
import type { Arrivals } from './sink.ts'
import type { System } from './system.ts'

const INTERVAL_MS = 10

/** Emits at a steady rate until it is stopped or the seconds are over. Returns when each event was about to be committed. */
export async function emitSteadily(
  { db }: System,
  orgs: readonly string[],
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Map<string, number>> {
  const committing = new Map<string, number>()
  const started = performance.now()
  const writes: Promise<void>[] = []
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - started) {
    const due = Math.floor((elapsed / 1000) * perSecond) - committing.size
    const first = committing.size
    const alias = (i: number) => `at${first + i}`
    for (let i = 0; i < due; i++) committing.set(alias(i), Date.now())
    if (due > 0) writes.push(emitMany(db, rotated(orgs, first), due, alias))
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
  await Promise.all(writes)
  return committing
}

function rotated(orgs: readonly string[], by: number): string[] {
  const at = by % orgs.length
  return [...orgs.slice(at), ...orgs.slice(0, at)]
}

/** Milliseconds from just before the commit of an event until its arrival at the sink. */
export async function measureLatency(system: System, orgs: readonly string[], perSecond: number, seconds: number) {
  const { sink, worker } = system
  await sink.call('begin')
  await worker.call('startSlots')
  const committing = await emitSteadily(system, orgs, { perSecond, seconds })
  await sink.call<Arrivals>('arrived', committing.size)
  const arrivedAt = new Map(await sink.call<[string, number][]>('arrivedAt'))
  await worker.call('stopSlots')
  const took = [...committing].map(([alias, at]) => arrivedAt.get(alias)! - at).sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)]!
  return { p50: at(0.5), p99: at(0.99), max: took.at(-1)!, events: took.length }
}
