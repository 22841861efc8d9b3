import type { Db, Tx } from '../db/db.ts'
import { script, sql } from '../db/sql.ts'
import { CannotOpen, createSealer, keyId } from './seal.ts'
import { countByKey, type SealedColumn } from './sealed-columns.ts'

/**
 * Thrown if the configured data keys cannot open the stored values. The message says which key is missing and what to
 * do.
 */
export class DataKeyRefused extends Error {
  override readonly name = 'DataKeyRefused'
}

export type DataKeys = readonly [string, ...string[]]

const CHECK_TEXT = 'svc data key'
const contextOf = (id: string) => `data-key-check:${id}`

/**
 * Checks that every key that stored values may be sealed under is configured, and records the current key. Locks the
 * table, so that of two processes that start for the first time with different keys one is refused.
 */
export async function checkDataKeys(db: Db, keys: DataKeys, columns: () => Promise<readonly SealedColumn[]>) {
  const current = keyId(keys[0])
  await db.tx(async (tx) => {
    await tx.query(script('lock table svc.data_keys in share row exclusive mode'))
    const recorded = await tx.query<{ key_id: string; check_value: string }>(sql`
      select key_id, check_value from svc.data_keys`)
    // A database of an earlier release has sealed values but no rows in this table.
    const used = recorded.length > 0 ? recorded.map(({ key_id }) => key_id) : await idsIn(tx, await columns())
    refuseMissing(used, keys)
    for (const { key_id, check_value } of recorded) verify(key_id, check_value, keys)
    const isRecorded = (id: string) => recorded.some(({ key_id }) => key_id === id)
    for (const id of new Set([...used, current])) if (!isRecorded(id)) await record(tx, id, keys)
  })
}

/** Throws as `checkDataKeys` does and records nothing. A database without recorded keys passes. */
export async function verifyDataKeys(db: Pick<Db, 'query'>, keys: DataKeys): Promise<void> {
  const recorded = await db.query<{ key_id: string; check_value: string }>(sql`
    select key_id, check_value from svc.data_keys`)
  const used = recorded.map(({ key_id }) => key_id)
  refuseMissing(used, keys)
  for (const { key_id, check_value } of recorded) verify(key_id, check_value, keys)
}

/** Records that only the current key is needed, once nothing is sealed under another one. Returns the others' ids. */
export async function retireFormerKeys(db: Db, keys: DataKeys): Promise<string[]> {
  const rows = await db.query<{ key_id: string }>(sql`
    delete from svc.data_keys where key_id <> ${keyId(keys[0])} returning key_id`)
  return rows.map(({ key_id }) => key_id)
}

async function idsIn(tx: Tx, columns: readonly SealedColumn[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const column of columns) for (const id of (await countByKey(tx, column)).keys()) ids.add(id)
  return [...ids]
}

function refuseMissing(used: readonly string[], keys: DataKeys): void {
  const configured = keys.map(keyId)
  const missing = used.filter((id) => !configured.includes(id))
  if (missing.length === 0) return
  const [named, set] = missing.length === 1 ? [`key ${missing[0]}`, 'it'] : [`keys ${missing.join(', ')}`, 'them']
  const former = configured.slice(1)
  throw new DataKeyRefused(
    `Stored secrets are sealed under ${named}, which ${missing.length === 1 ? 'is' : 'are'} not configured. ` +
      `SVC_DATA_KEY has the id ${configured[0]}, SVC_DATA_KEYS_FORMER ${former.length > 0 ? former.join(', ') : 'is empty'}. ` +
      `Restore the former value of SVC_DATA_KEY, or add ${set} to SVC_DATA_KEYS_FORMER. ` +
      'If SVC_DATA_KEY is not set, the keys are in secrets.json in the data folder: restore that file.',
  )
}

function verify(id: string, checkValue: string, keys: DataKeys): void {
  try {
    if (createSealer(keys).open(checkValue, contextOf(id)) === CHECK_TEXT) return
  } catch (cause) {
    if (!(cause instanceof CannotOpen)) throw cause
  }
  throw new DataKeyRefused(
    `The check value of data key ${id} in svc.data_keys was changed. Restore the database from a backup.`,
  )
}

async function record(tx: Tx, id: string, keys: DataKeys): Promise<void> {
  const key = keys.find((hex) => keyId(hex) === id)!
  const checkValue = createSealer([key]).seal(CHECK_TEXT, contextOf(id))
  await tx.query(sql`
    insert into svc.data_keys (key_id, check_value) values (${id}, ${checkValue})`)
}
