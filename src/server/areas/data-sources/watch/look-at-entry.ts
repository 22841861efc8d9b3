import { stateOf } from '../measure/index-state.ts'
import type { StoredMeasurement } from '../measure/store.ts'
import { findVectorIndexes, type Indexes } from '../search/indexes.ts'
import type { Reader, ReadsOn } from '../search/reader.ts'
import { searchSettings } from '../search/settings.ts'
import { budgetOf } from './budget.ts'
import type { Seen } from './checks.ts'
import { type ComparingRows, compareRows } from './compare-rows.ts'
import type { ComparedRow } from './find-recipe.ts'
import { growth } from './growth.ts'
import { seeNight } from './see-night.ts'
import { type Look, lookStatement, pageSample, type ReadRow, readStatement } from './statements.ts'
import type { WatchedEntry } from './stored-entry.ts'
import { type TableSize, tableSizeStatement } from './table-size.ts'
import { textColumns } from './text-columns.ts'

type Looking = ComparingRows & {
  readonly db: Reader
  /** The measurement of the entry's index. */
  readonly measured: StoredMeasurement['measured'] | undefined
  readonly random: () => number
}

/** Looks at a part of the entry's table, another one each night, and adds what it sees to the nights before. */
export async function lookAtEntry(looking: Looking): Promise<WatchedEntry> {
  const { entry, before } = looking
  if (entry.person_settings) return impossible(before, 'each person sees other rows, and the worker is no person')
  const indexes = await read(looking, (on) => findVectorIndexes(on, entry))
  if (!indexes) return impossible(before, 'the table does not exist any more: save the configuration again')
  if (!'rpm'.includes(indexes.kind)) return impossible(before, 'a view or a foreign table cannot be sampled')
  const [size] = await read(looking, (on) => on.query<TableSize>(tableSizeStatement(indexes.oid)))
  const seed = Math.floor(looking.random() * 2 ** 31)
  const look = await lookAround(looking, size!, seed)
  const rows = await readRows(looking, size!, seed)
  const comparison = await compareRows(looking, rows)
  return seeNight(looking, { look, grown: grownSince(looking, indexes, size!, look), rows, comparison })
}

function impossible(before: WatchedEntry, reason: string): WatchedEntry {
  return { ...before, is_possible: false, reason, checks: {}, not_checked: [] }
}

async function read<T>({ db, entry, permit }: Looking, work: (on: ReadsOn) => Promise<T>): Promise<T> {
  await permit()
  return db.reads(work, searchSettings({ entry, filters: [] }))
}

type SampledLook = Look & { readonly percent: number }

async function lookAround(looking: Looking, size: TableSize, seed: number): Promise<SampledLook> {
  const { entry, before } = looking
  const { lookedRows } = budgetOf(entry.dimensions)
  const sample = pageSample(size, lookedRows, seed)
  const texts = { columns: textColumns(entry), recipe: before.recipe ?? undefined }
  // The estimated size can be too low: after twice the rows the look ends.
  const statement = lookStatement(entry, texts, sample, 2 * lookedRows)
  const [look] = await read(looking, (on) => on.query<Look>(statement))
  return { ...look!, percent: sample.percent }
}

/** Rows are spread over more pages than they fill, because rows beside each other are often alike. */
const SPREAD = 10

async function readRows(looking: Looking, size: TableSize, seed: number): Promise<ComparedRow[]> {
  const { entry, placeOf, random } = looking
  const limit = budgetOf(entry.dimensions).readVectors
  const step = Math.max(1, Math.min(SPREAD, Math.floor(size.rows / limit)))
  const place = placeOf(entry.model)
  const columns = place === 'here' || place === 'outside' ? textColumns(entry) : []
  const reading = { step, offset: Math.floor(random() * step), limit, textColumns: columns }
  const statement = readStatement(entry, { ...reading, sample: pageSample(size, limit * step, seed) })
  const rows = await read(looking, (on) => on.query<ReadRow>(statement))
  return rows.map((row) => ({
    row: row.row,
    vector: JSON.parse(row.vector) as number[],
    texts: Object.fromEntries(columns.map((column, i) => [column, row[`t${i}`] ?? null])),
  }))
}

/** Undefined where the index as it is now was not measured. */
function grownSince({ measured }: Looking, indexes: Indexes, size: TableSize, look: SampledLook): Seen | undefined {
  if (!measured || measured.indexes !== stateOf(indexes).indexes) return undefined
  const { counted, pages } = size
  return growth({ measured: measured.rows, counted, pages, seen: look.rows, percent: look.percent })
}
