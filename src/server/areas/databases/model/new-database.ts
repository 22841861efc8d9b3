import { randomBytes } from 'node:crypto'
import { newId } from '#edge/ids.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import { PLATFORM_SERVER } from '#ports/platform-server.ts'
import { scramVerifier } from '../engine/scram.ts'
import type { DatabaseRow } from './store.ts'

export type LoginRole = 'owner' | 'reader'

/** Makes the row of a new database, with random names that tell nothing of the customer and sealed random passwords. */
export async function newDatabase(
  of: Pick<DatabaseRow, 'org_id' | 'name' | 'created_by' | 'created_at'> & Partial<Pick<DatabaseRow, 'server'>>,
  sealer: Sealer,
): Promise<DatabaseRow> {
  const id = newId('mdb')
  const hex = randomBytes(8).toString('hex')
  const [owner, reader] = [newPassword(), newPassword()]
  return {
    server: PLATFORM_SERVER,
    ...of,
    id,
    state: 'creating',
    physical_name: `d_${hex}`,
    owner_role: `o_${hex}`,
    reader_role: `r_${hex}`,
    owner_password: sealer.seal(owner, DATABASE_PASSWORDS.owner.context({ id })),
    reader_password: sealer.seal(reader, DATABASE_PASSWORDS.reader.context({ id })),
    owner_verifier: await scramVerifier(owner),
    reader_verifier: await scramVerifier(reader),
  }
}

/** Its alphabet needs no escaping in a URL. */
function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

export function openPassword(row: DatabaseRow, login: LoginRole, sealer: Sealer): string {
  return sealer.open(row[`${login}_password`], DATABASE_PASSWORDS[login].context(row))
}

function passwordColumn(login: LoginRole): SealedColumn<{ id: string }> {
  return {
    kind: `${login} passwords of managed databases`,
    table: ['databases', 'databases'],
    column: `${login}_password`,
    primaryKey: ['id'],
    context: ({ id }) => `database-password:${id}:${login}`,
  }
}

export const DATABASE_PASSWORDS = { owner: passwordColumn('owner'), reader: passwordColumn('reader') }
