import pg from 'pg'
import { ServiceError } from '#contract/core/errors.ts'
import { ANSWER_MARGIN_MS, withDeadline } from '#lib/db/deadline.ts'
import { unavailableFrom } from '#lib/db/errors.ts'
import { refuseInTransaction } from '#lib/db/transaction-guard.ts'

export type SendText = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>
/** Runs COPY … TO STDOUT and returns the number of rows. */
export type CountCopied = (copy: string) => Promise<number>
export type Work<T> = (send: SendText, countCopied: CountCopied) => Promise<T>

/** Connection string for a program of Postgres, and the options of its session (PGOPTIONS). */
export type ProgramTarget = { readonly url: string; readonly options?: string }

/** A login with the rights of the tenant: the owner's role or the one that dumps, with a password. */
type TenantLogin = { readonly role: string; readonly password: string }

/**
 * The only way into the databases of a server outside the pools of readers and owners. Code of a tenant never runs with
 * the rights of the role that enters, as long as its statements read catalogues only: reading a table evaluates
 * expressions of its indexes while the statement is planned.
 */
export type Entrance = {
  /** Runs `work` inside a database as the platform's role. */
  enter<T>(database: string, limitMs: number, work: Work<T>): Promise<T>
  /** Runs `work` inside a database with the rights of its owner. */
  enterAs<T>(login: TenantLogin, database: string, limitMs: number, work: Work<T>): Promise<T>
  /** For pg_dump, in whose session code of the tenant can run. */
  dumpTarget(login: TenantLogin, database: string): ProgramTarget
  /** For pg_restore, which runs code of the tenant and therefore writes as the owner. */
  restoreTarget(login: TenantLogin, database: string): ProgramTarget
}

const CONNECT_LIMIT_MS = 10_000
const LOCK_LIMIT_MS = 5_000
const IDLE_LIMIT_MS = 60_000

/** Settings of the startup packet, which are stronger than those of the role and the database. */
const PINNED = {
  search_path: 'pg_catalog, pg_temp',
  // A policy then makes a statement fail instead of being a part of it.
  row_security: 'off',
  lock_timeout: String(LOCK_LIMIT_MS),
  idle_in_transaction_session_timeout: String(IDLE_LIMIT_MS),
}

/** Absent before 15.8. Keeps a statement from reading a view that took the place of a table. */
const RELATION_KINDS = 'restrict_nonsystem_relation_kind'

export function createEntrance(databaseUrl: string): Entrance {
  const urlOf = (database: string, login?: TenantLogin) => {
    const url = new URL(databaseUrl)
    url.pathname = `/${database}`
    return login ? Object.assign(url, { username: login.role, password: login.password }) : url
  }
  return {
    enter: (database, limitMs, work) => onConnection(urlOf(database), limitMs, work),
    enterAs: (login, database, limitMs, work) => onConnection(urlOf(database, login), limitMs, work),
    dumpTarget: (login, database) => ({
      url: urlOf(database, login).href,
      options: optionsOf({ search_path: PINNED.search_path }),
    }),
    restoreTarget: (login, database) => ({ url: urlOf(database, login).href }),
  }
}

/**
 * Runs `work` on a connection outside the pools: for another database of the server, and for statements such as CREATE
 * DATABASE that take longer than usual and cannot be part of a transaction.
 */
async function onConnection<T>(url: URL, limitMs: number, work: Work<T>): Promise<T> {
  refuseInTransaction('a second connection')
  const settings = { ...PINNED, statement_timeout: String(limitMs) }
  const client = new pg.Client({
    connectionString: withOptions(url, optionsOf(settings)),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'svc',
  })
  // The running statement fails with the reason. Without a listener the `error` event would end the process.
  client.on('error', () => undefined)
  const ask = (text: string, values: readonly unknown[]) =>
    withDeadline(client, limitMs + ANSWER_MARGIN_MS, () => client.query({ text, values: [...values] }))
  const send: SendText = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await ask(text, values)).rows as Row[]
  try {
    await client.connect()
    await refuseOtherSettings(send, settings)
    return await work(send, async (copy) => (await ask(copy, [])).rowCount ?? 0)
  } catch (error) {
    throw unavailableFrom(error) ?? error
  } finally {
    await withDeadline(client, ANSWER_MARGIN_MS, () => client.end())
  }
}

/** Adds ours behind the options that an operator gave in the address, because of two values the last one counts. */
function withOptions(url: URL, options: string): string {
  const given = url.searchParams.get('options')
  url.searchParams.set('options', given === null ? options : `${given} ${options}`)
  return url.href
}

/** A backslash keeps the space, which would separate two options. */
function optionsOf(settings: Record<string, string>): string {
  const option = ([name, value]: [string, string]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`
  return Object.entries(settings).map(option).join(' ')
}

/** Throws if a pooler dropped the settings of the startup packet. The names are qualified, because it may have. */
async function refuseOtherSettings(send: SendText, settings: Record<string, string>): Promise<void> {
  const names = [...Object.keys(settings), RELATION_KINDS]
  const rows = await send<{ name: string; setting: string }>(
    'select name, setting from pg_catalog.pg_settings where name operator(pg_catalog.=) any ($1::pg_catalog.text[])',
    [names],
  )
  const found = new Map(rows.map(({ name, setting }) => [name, setting]))
  const [other] = Object.entries(settings).find(([name, value]) => found.get(name) !== value) ?? []
  if (other !== undefined) throw settingDropped(other, found.get(other))
  if (!found.has(RELATION_KINDS)) return
  await send(`select pg_catalog.set_config('${RELATION_KINDS}', 'view, foreign-table', false)`)
}

function settingDropped(name: string, value: string | undefined): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `The connection to a managed database has ${name} = ${value ?? 'nothing'}, so code of its owner could run with the ` +
      'rights of the platform. A pooler dropped the setting: name the address of Postgres itself in ' +
      'DATABASE_DIRECT_URL, or in SVC_DATABASE_SERVERS.',
  )
}
