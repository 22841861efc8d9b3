import pg from 'pg'
import { script } from '#lib/db/sql.ts'
import { type Managed, type PreviewRole, READER } from '../engine.ts'
import { schemaGrants } from '../schema-grants.ts'
import type { WireLogin } from './wire-session.ts'

/** Returns the statements that set up a new database. Its roles have no passwords: the wire server checks them. */
export function setUp(managed: Managed): string[] {
  const role = (name: string, attributes: string) =>
    `do $$ begin create role ${pg.escapeIdentifier(name)} login nosuperuser ${attributes};
     exception when duplicate_object then null; end $$`
  return [
    role(managed.owner_role, ''),
    role(managed.reader_role, 'noinherit'),
    'create extension if not exists vector',
    'revoke all on database postgres from public',
    `grant create, temporary on database postgres to ${pg.escapeIdentifier(managed.owner_role)}`,
    ...schemaGrants(managed),
  ]
}

/** The reader itself: sessions here are those of a superuser, who can act as anybody until a transaction ends. */
export function previewRole({ reader_role: role }: Managed): PreviewRole {
  return { role, become: script(`set local session authorization ${pg.escapeIdentifier(role)}`), isReader: true }
}

type Bounds = Record<'statementMs' | 'idleInTransactionMs' | 'rowBytes' | 'ownAnswerBytes', number>

/**
 * Returns how the user may log in, or undefined when it is neither owner nor reader of this database. A reader waits
 * for its turn as long as a connection may idle in a transaction, an owner as long as two statements may take.
 */
export function loginOf(
  managed: Managed,
  user: string,
  session: WireLogin['session'],
  bounds: Bounds,
): WireLogin | undefined {
  const { statementMs, idleInTransactionMs, rowBytes, ownAnswerBytes } = bounds
  const act = `set session authorization ${pg.escapeIdentifier(user)}`
  const ownAnswer = { rowBytes, answerBytes: ownAnswerBytes }
  const shared = { session, ownAnswer }
  if (user === managed.owner_role) {
    const answer = { rowBytes, answerBytes: Number.POSITIVE_INFINITY }
    const { owner_verifier: verifier } = managed
    return { ...shared, verifier, prologue: [act], statementMs, waitMs: 2 * statementMs, answer }
  }
  if (user !== managed.reader_role) return undefined
  const prologue = [act, 'set default_transaction_read_only = on', `set search_path = ${READER.searchPath}`]
  const times = { statementMs: READER.statementMs, waitMs: idleInTransactionMs }
  return { ...shared, verifier: managed.reader_verifier, prologue, ...times, answer: ownAnswer }
}
