import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'

/** Secrets of Standard Webhooks. Each is shown once, when it is generated. */
export const SIGNING_SECRETS: SealedColumn<{ id: string }> = {
  kind: 'signing secrets of webhooks',
  table: ['notifications', 'signing_secrets'],
  column: 'secret',
  primaryKey: ['id'],
  context: ({ id }) => `signing-secret:${id}`,
}

export type SealedSecret = { readonly id: string; readonly secret: string }

export function openSigningSecret(sealer: Sealer, { id, secret }: SealedSecret): string {
  return sealer.open(secret, SIGNING_SECRETS.context({ id }))
}

type NewSecret = { readonly id: string; readonly channelId: string; readonly secret: string; readonly at: Date }

/** Adds a secret as the current one. The caller has ended the former one. */
export async function insertSigningSecret(tx: Tx, sealer: Sealer, added: NewSecret): Promise<void> {
  const { id, channelId, secret, at } = added
  await tx.query(sql`
    insert into notifications.signing_secrets (id, channel_id, secret, created_at)
    values (${id}, ${channelId}, ${sealer.seal(secret, SIGNING_SECRETS.context({ id }))}, ${at})`)
}

/** Lets the current secret end at this time. Returns false if there is none. */
export async function endSigningSecret(tx: Tx, channelId: string, endsAt: Date): Promise<boolean> {
  const ended = await tx.query(sql`
    update notifications.signing_secrets set ends_at = ${endsAt}
    where channel_id = ${channelId} and ends_at is null returning 1`)
  return ended.length > 0
}

/** Returns when the replaced secrets end that sign at this time, the first to end first. */
export async function listSecretEnds(tx: Tx, channelId: string, now: Date): Promise<Date[]> {
  const rows = await tx.query<{ ends_at: Date }>(sql`
    select ends_at from notifications.signing_secrets
    where channel_id = ${channelId} and ends_at > ${now} order by ends_at`)
  return rows.map(({ ends_at }) => ends_at)
}

/** Deletes all secrets of a webhook. Returns false if it has no current one. */
export async function deleteSigningSecrets(tx: Tx, channelId: string): Promise<boolean> {
  const deleted = await tx.query<{ is_current: boolean }>(sql`
    delete from notifications.signing_secrets where channel_id = ${channelId} returning ends_at is null as is_current`)
  return deleted.some(({ is_current }) => is_current)
}

/** Deletes replaced secrets that sign no more. */
export async function deleteEndedSecrets(db: Querier, now: Date): Promise<void> {
  await db.query(sql`delete from notifications.signing_secrets where ends_at <= ${now}`)
}
