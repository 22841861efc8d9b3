import pg from 'pg'
import { WorkerStopped } from '#lib/worker-host.ts'
import { type Seat, type Session, SessionBusy } from './session.ts'
import type { Statements } from './statements.ts'
import type { Startup } from './wire-login.ts'
import { int32, message, ready } from './wire-messages.ts'

/** Who may log in, and what their turns are like. */
export type Login = {
  session: () => Promise<Session>
  verifier: string
  prologue: readonly string[]
  statementMs: number
  waitMs: number
}

export function greeting({ user, settings }: Startup, serverVersion: string): Buffer {
  const told = {
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    application_name: settings.application_name ?? '',
    session_authorization: user,
    is_superuser: 'off',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    TimeZone: 'GMT',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  }
  const statuses = Object.entries(told).map(([name, value]) => message('S', name, value))
  // Cancel requests are not taken, so the key opens nothing.
  return Buffer.concat([message('R', int32(0)), ...statuses, message('K', int32(0), int32(0)), ready('I')])
}

/** Settings a client asks for at its start; who it is is not among them. */
export function seatOf(login: Login, { settings }: Startup, statements: Statements): Seat {
  const wanted = Object.entries(settings).filter(
    ([name]) => !/^(?:replication|role|session_authorization|_pq_\..*)$/i.test(name),
  )
  const set = wanted.map(
    ([name, value]) => `select set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  )
  const { statementMs, waitMs } = login
  return { prologue: [...login.prologue, ...set], statementMs, waitMs, onFresh: () => statements.onFresh() }
}

/** As the last thing its client hears. */
export function faultOf(error: unknown, statementMs = 0): [code: string, text: string] {
  if (error instanceof SessionBusy) return ['53300', error.message]
  if (error instanceof WorkerStopped) {
    return ['57014', `the engine was stopped: a statement may run ${statementMs / 1000} seconds`]
  }
  return ['08P01', error instanceof Error ? error.message : 'the connection failed']
}
