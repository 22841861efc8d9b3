import type { Db, Querier, Tx } from '../db.ts'
import { identifier, literal, script, sql } from '../sql.ts'
import { changePartitions, partitionNames } from './partition-change.ts'

const DAY_MS = 24 * 60 * 60_000
/** Monday, 5 January 1970. Partitions begin at whole multiples of their width after it. */
const ORIGIN_MS = 4 * DAY_MS

/**
 * A table whose partitions hold the rows of a span of time each. They are named `<table>_<first day>`; the one that was
 * the whole table before it had partitions is `<table>_before_<end day>`. A row without a partition goes into
 * `<table>_default`.
 */
export type PartitionedTable = {
  readonly schema: string
  readonly table: string
  readonly days: number
  /** Returns the value of the partition key that rows from this time on have. */
  readonly keyAt: (at: Date) => string
  /** Share of a page that inserts fill, in percent. */
  readonly fillFactor: number
}

/**
 * Makes the partition of `now` and the next `ahead` ones where they are missing. Returns false if one could not be made
 * now, because others held the table or because the default partition has rows of its span: these stay where they are.
 */
export async function addPartitions(db: Db, table: PartitionedTable, now: Date, ahead: number): Promise<boolean> {
  const existing = await listPartitions(db, table)
  let isComplete = true
  for (let n = 0; n <= ahead; n++) {
    const from = startOf(table, now.getTime() + n * table.days * DAY_MS)
    if (existing.some((partition) => covers(partition, from))) continue
    isComplete = (await changePartitions(db, (tx) => addPartition(tx, table, from))) && isComplete
  }
  return isComplete
}

function covers({ from, until }: Partition, at: Date): boolean {
  return until !== undefined && at < until && (from === undefined || from <= at)
}

/** Drops the partitions that hold only rows from before this time. Returns the names of those that were dropped. */
export async function dropPartitions(db: Db, table: PartitionedTable, before: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const { name, until } of await listPartitions(db, table)) {
    if (until === undefined || until > before) continue
    const drop = sql`drop table if exists ${identifier(table.schema, name)}`
    if (await changePartitions(db, (tx) => tx.query(script(drop.text)))) dropped.push(name)
  }
  return dropped
}

/** `from` is undefined for the partition of all earlier rows, and both times are for the default one. */
type Partition = { name: string; from: Date | undefined; until: Date | undefined }

async function listPartitions(db: Querier, { schema, table, days }: PartitionedTable): Promise<Partition[]> {
  const names = await partitionNames(db, schema, table)
  return names.map((name) => {
    const [, before, day = ''] = /_(before_)?(\d{8})$/.exec(name) ?? []
    if (day === '') return { name, from: undefined, until: undefined }
    const at = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6))))
    if (before) return { name, from: undefined, until: at }
    return { name, from: at, until: new Date(at.getTime() + days * DAY_MS) }
  })
}

/** Names of the partitions that hold rows of any age, so that old ones have to be deleted row by row. */
export async function mixedPartitions(db: Querier, table: PartitionedTable): Promise<string[]> {
  return (await listPartitions(db, table)).filter(({ from }) => from === undefined).map(({ name }) => name)
}

function startOf({ days }: PartitionedTable, ms: number): Date {
  const width = days * DAY_MS
  return new Date(Math.floor((ms - ORIGIN_MS) / width) * width + ORIGIN_MS)
}

function nameOf({ table }: PartitionedTable, from: Date): string {
  return `${table}_${from.toISOString().slice(0, 10).replaceAll('-', '')}`
}

/** Attaches a finished table, which lets others read and write meanwhile; `create table … partition of` would not. */
async function addPartition(tx: Tx, given: PartitionedTable, from: Date): Promise<void> {
  const { schema, table, days, keyAt, fillFactor } = given
  const [name, parent] = [identifier(schema, nameOf(given, from)), identifier(schema, table)]
  const until = new Date(from.getTime() + days * DAY_MS)
  const create = sql`create table ${name} (like ${parent} including all excluding identity)`
  await tx.query(script(`${create.text} with (fillfactor = ${fillFactor})`))
  const attach = sql`
    alter table ${parent} attach partition ${name} for values from (${literal(keyAt(from))}) to (${literal(keyAt(until))})`
  await tx.query(script(attach.text))
}
