import { VECTOR_FINDING_KINDS } from '#contract/data-sources/vectors.ts'
import { sql } from '#lib/db/sql.ts'
import type { TestClock } from '#lib/time/clock.ts'
import type { System } from '../system.ts'
import { faultyRows, normalisedRows, rawRows, repetitiveRows } from './planted-rows.ts'
import { type Cost, startWatchedSource, type Tables, type WatchedSource } from './watched-source.ts'

type Report = {
  /** The night that found each kind, where the model can be called and where it cannot. */
  readonly found: Readonly<Record<'callable' | 'not_callable', Record<string, number>>>
  /** Findings of clean tables, by night. */
  readonly falseAlarms: readonly string[]
  /** The most that a night cost for all four tables together. */
  readonly mostOfANight: Cost
}

const CLEAN = ['normalised', 'raw', 'repetitive']
const NIGHTS = 7

/** A table with every fault in one row of a hundred, and three clean ones. */
export function makeTables(rows: number, random: () => number): Tables {
  return {
    faulty: { type: 'vector', rows: faultyRows(rows, random) },
    normalised: { type: 'vector(384)', rows: normalisedRows(rows, random) },
    raw: { type: 'vector(384)', rows: rawRows(rows, random) },
    repetitive: { type: 'halfvec(384)', rows: repetitiveRows(rows, random) },
  }
}

/** Lets seven nights pass over the tables of `makeTables`, once with the model and once without. */
export async function watchNights(
  system: System,
  clock: TestClock,
  { tables, random }: { tables: Tables; random: () => number },
): Promise<Report> {
  const client = system.client((await system.member('owner')).token)
  await using source = await startWatchedSource(system, client, clock, { name: 'library', tables, random })
  const callable = await passNights(source, 'here')
  await system.db.query(sql`delete from data_sources.vector_watch`)
  const notCallable = await passNights(source, 'outside_not_allowed')
  const costs = [...callable.costs, ...notCallable.costs]
  return {
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
