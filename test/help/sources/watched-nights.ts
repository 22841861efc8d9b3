import { VECTOR_FINDING_KINDS } from '#contract/data-sources/vectors.ts'
import { sql } from '#lib/db/sql.ts'
import type { TestClock } from '#lib/time/clock.ts'
import { seeded } from '../seeded.ts'
import type { System } from '../system.ts'
import { faultyRows, normalisedRows, rawRows, repetitiveRows } from './planted-rows.ts'
import { type Cost, startWatchedSource, type WatchedSource } from './watched-source.ts'

type Report = {
  readonly rows: number
  /** The night that found each kind, where the model can be called and where it cannot. */
  readonly found: Readonly<Record<'callable' | 'not_callable', Record<string, number>>>
  /** Findings of clean tables, by night. */
  readonly falseAlarms: readonly string[]
  /** The most that a night cost for all four tables together. */
  readonly mostOfANight: Cost
}

const CLEAN = ['normalised', 'raw', 'repetitive']
const NIGHTS = 7

/** Lets seven nights pass over a table with every fault in one row of a hundred, and over three clean ones. */
export async function watchNights(
  system: System,
  clock: TestClock,
  { rows, seed }: { rows: number; seed: number },
): Promise<Report> {
  const random = seeded(seed)
  const client = system.client((await system.member('owner')).token)
  const tables = {
    faulty: { type: 'vector', rows: faultyRows(rows, random) },
    normalised: { type: 'vector(384)', rows: normalisedRows(rows, random) },
    raw: { type: 'vector(384)', rows: rawRows(rows, random) },
    repetitive: { type: 'halfvec(384)', rows: repetitiveRows(rows, random) },
  }
  await using source = await startWatchedSource(system, client, clock, { name: 'library', tables, random })
  const callable = await passNights(source, 'here')
  await system.db.query(sql`delete from data_sources.vector_watch`)
  const notCallable = await passNights(source, 'outside_not_allowed')
  const costs = [...callable.costs, ...notCallable.costs]
  return {
    rows,
    found: { callable: callable.found, not_callable: notCallable.found },
    falseAlarms: [...callable.falseAlarms, ...notCallable.falseAlarms],
    mostOfANight: {
      statements: Math.max(...costs.map(({ statements }) => statements)),
      ms: Math.round(Math.max(...costs.map(({ ms }) => ms))),
      longestMs: Math.round(Math.max(...costs.map(({ longestMs }) => longestMs))),
      bytes: Math.max(...costs.map(({ bytes }) => bytes)),
    },
  }
}

async function passNights(source: WatchedSource, place: 'here' | 'outside_not_allowed') {
  const found: Record<string, number> = {}
  const falseAlarms: string[] = []
  const costs: Cost[] = []
  for (let night = 1; night <= NIGHTS; night++) {
    const { vectors, cost } = await source.night({ placeOf: () => place })
    costs.push(cost)
    for (const { label, findings } of vectors) {
      for (const { kind } of findings) {
        if (CLEAN.includes(label)) falseAlarms.push(`night ${night}, ${label}: ${kind}`)
        else found[kind] ??= night
      }
    }
  }
  return { found, falseAlarms, costs }
}

/** The faults of rows. That a table has grown is seen in another way. */
export const ROW_FAULTS = VECTOR_FINDING_KINDS.filter((kind) => kind !== 'grown')
