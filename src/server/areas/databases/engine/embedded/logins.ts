import pg from 'pg'
import { type Managed, READER } from '../engine.ts'
import { schemaGrants } from '../schema-grants.ts'
import type { Session } from './session.ts'
import { cStrings } from './wire-messages.ts'
import type { Login } from './wire-seat.ts'

/** Roles without passwords: the wire server checks those, so no engine ever has one in its memory. */
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

export type Bounds = Record<'statementMs' | 'idleInTransactionMs' | 'rowBytes' | 'ownAnswerBytes', number>

/** A question waits for its turn no longer than somebody may sleep in a transaction; an owner waits out a statement. */
export function loginOf(managed: Managed, user: string, session: Login['session'], bounds: Bounds): Login | undefined {
  const { statementMs, idleInTransactionMs, rowBytes, ownAnswerBytes } = bounds
  const act = `set session authorization ${pg.escapeIdentifier(user)}`
  const serverVersion = () => readVersion(session())
  const ownAnswer = { rowBytes, answerBytes: ownAnswerBytes }
  const shared = { session, serverVersion, ownAnswer }
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

const versions = new WeakMap<Session, string>()

/** Asked of each engine, once: one that was taken over must not name the version of the others. */
async function readVersion(session: Session): Promise<string> {
  const known = versions.get(session)
  if (known !== undefined) return known
  const row = (await session.askAsPlatform('show server_version')).find(({ type }) => type === 'D')
  const [text = ''] = cStrings(row?.body.subarray(6) ?? Buffer.alloc(0))
  const version = /^[\w. ()-]{1,64}$/.test(text) ? text : 'unknown'
  versions.set(session, version)
  return version
}
