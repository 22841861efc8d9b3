import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { changePartitions, partitionNames } from '#lib/db/partitions/partition-change.ts'
import { identifier, integer, script, sql } from '#lib/db/sql.ts'

/** Partition n has the ids from n times this on. So many lines fill any disk, so the ids of a partition never run out. */
const IDS_PER_PARTITION = 100_000_000_000
/** Lines with a lower id are in the former table, which became the first partition. */
export const FIRST_ID = IDS_PER_PARTITION

const HOUR_MS = 60 * 60_000
/** Longest time for which lines are still added to a partition or have a time after it, once the next one was made. */
const CLOSING_MS = 2 * HOUR_MS
/** How far the clocks of workers may differ. */
const CLOCK_DIFFERENCE_MS = HOUR_MS
const READ_LIMIT_MS = 10 * 60_000

/** Named `logs_<number>_<time at which it was made>`. */
type Partition = { readonly name: string; readonly number: number; readonly madeAt: Date }

/** The partition with the lowest ids first. */
async function listPartitions(db: Querier): Promise<Partition[]> {
  const names = await partitionNames(db, 'apps', 'logs')
  return names
    .map((name) => {
      const [, number = '', date = '', time = ''] = /^logs_(\d+)_(\d{8})(\d{4})$/.exec(name) ?? []
      const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`
      return { name, number: Number(number), madeAt: new Date(`${day}T${time.slice(0, 2)}:${time.slice(2)}Z`) }
    })
    .toSorted((a, b) => a.number - b.number)
}

export async function hasFormerTable(db: Querier): Promise<boolean> {
  return (await listPartitions(db)).some(({ number }) => number === 0)
}

/**
 * Makes the next partition if the newest was made `widthMs` ago, or after now by a wrong clock. Then lets new lines get
 * ids of the newest. A crash between the two leaves an empty partition, which the next call lets lines into.
 */
export async function addPartition(db: Db, now: Date, widthMs: number): Promise<void> {
  await changePartitions(db, async (tx) => {
    await keepApart(tx)
    const { number, madeAt } = (await listPartitions(tx)).at(-1)!
    const ageMs = now.getTime() - madeAt.getTime()
    if (ageMs >= widthMs || ageMs < -CLOCK_DIFFERENCE_MS) await attachPartition(tx, number + 1, now)
  })
  await db.tx(async (tx) => {
    await keepApart(tx)
    await moveIds(tx, (await listPartitions(tx)).at(-1)!.number * IDS_PER_PARTITION)
  })
}

/** Lets only one worker at a time make a partition or move the ids, until its transaction ends. */
async function keepApart(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('apps.log_ids'))`)
}

/** Attaches a finished table, which lets others read and write meanwhile; `create table … partition of` would not. */
async function attachPartition(tx: Tx, number: number, now: Date): Promise<void> {
  const name = identifier('apps', `logs_${number}_${now.toISOString().slice(0, 16).replaceAll(/\D/g, '')}`)
  const [from, until] = [number * IDS_PER_PARTITION, (number + 1) * IDS_PER_PARTITION]
  const create = sql`create table ${name} (like apps.logs including all)`
  await tx.query(script(create.text))
  const attach = sql`
    alter table apps.logs attach partition ${name} for values from (${integer(from)}) to (${integer(until)})`
  await tx.query(script(attach.text))
}

/** Never moves ids back, because readers go on after the highest id they saw. */
async function moveIds(tx: Tx, first: number): Promise<void> {
  await tx.query(sql`select setval('apps.log_ids', ${first}, false) from apps.log_ids where last_value < ${first}`)
}

/** Drops the partitions in which no line was stored after this time, and none says that it was written after it. */
export async function dropPartitions(db: Db, before: Date): Promise<void> {
  const partitions = await listPartitions(db)
  for (const [i, { name }] of partitions.slice(0, -1).entries()) {
    const nextMadeMs = Math.min(...partitions.slice(i + 1).map(({ madeAt }) => madeAt.getTime()))
    if (nextMadeMs + CLOSING_MS > before.getTime()) continue
    await changePartitions(db, (tx) => dropIfOld(tx, name, before), { timeoutMs: READ_LIMIT_MS })
  }
}

type Measured = { app_id: string; bytes: number; newest: Date }

/** Reads the partition once, because the sizes of the logs must be changed by what is dropped. */
async function dropIfOld(tx: Tx, name: string, before: Date): Promise<void> {
  const table = identifier('apps', name)
  const logs = await tx.query<Measured>(sql`
    select app_id, sum(octet_length(text))::bigint as bytes, max(at) as newest from ${table} group by app_id`)
  if (logs.some(({ newest }) => newest >= before)) return
  // The table is locked before the sizes, as by writers. Otherwise each could wait for the other.
  await tx.query(script(sql`drop table ${table}`.text))
  await tx.query(sql`
    update apps.log_sizes as log set bytes = greatest(log.bytes - dropped.bytes, 0)
    from unnest(${logs.map(({ app_id }) => app_id)}::text[], ${logs.map(({ bytes }) => bytes)}::bigint[])
      as dropped (app_id, bytes)
    where log.app_id = dropped.app_id`)
}
