import pg from 'pg'
import type { Managed } from './engine.ts'

/** The statements that give the schema `public` of a new database to its owner, and its use to the reader. */
export function schemaGrants({ owner_role, reader_role }: Managed): string[] {
  return [
    'revoke all on schema public from public',
    `alter schema public owner to ${pg.escapeIdentifier(owner_role)}`,
    `grant usage on schema public to ${pg.escapeIdentifier(reader_role)}`,
  ]
}
