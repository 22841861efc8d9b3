import pg from 'pg'
import type { AnswerLimits } from './answer-scanner.ts'
import { TooLong } from './byte-reader.ts'
import { EngineStopped } from './engine-stopped.ts'
import { type Session, SessionBusy, type SessionClient } from './session.ts'
import { type Statements, TooManyStatements } from './statements.ts'
import type { Startup } from './wire-login.ts'
import { int32, message, ready } from './wire-messages.ts'

/** A role that may log in, and the limits of its turns in the session. */
export type WireLogin = {
  session: () => Session
  verifier: string
  prologue: readonly string[]
  statementMs: number
  waitMs: number
  answer: AnswerLimits
  /** The limits for a driver inside our own process, which holds all of an answer in memory. */
  ownAnswer: AnswerLimits
}

export class TooManyConnections extends Error {
  override readonly name = 'TooManyConnections'
}

export function greeting({ user, settings }: Startup, serverVersion: string): Buffer {
  const parameters = {
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
  const statuses = Object.entries(parameters).map(([name, value]) => message('S', name, value))
  // Cancel requests are not taken, so the key opens nothing.
  return Buffer.concat([message('R', int32(0)), ...statuses, message('K', int32(0), int32(0)), ready('I')])
}

/** Returns a connection's side of the session, with the settings of its startup packet. Roles are left out of these. */
export function sessionClient(login: WireLogin, { settings }: Startup, statements: Statements): SessionClient {
  const allowed = Object.entries(settings).filter(
    ([name]) => !/^(?:replication|role|session_authorization|_pq_\..*)$/i.test(name),
  )
  const set = allowed.map(
    ([name, value]) => `select set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  )
  const { statementMs, waitMs } = login
  return { prologue: [...login.prologue, ...set], statementMs, waitMs, onFresh: () => statements.onFresh() }
}

/** The SQLSTATE and text of the error that ends a connection. */
export function faultOf(error: unknown): [code: string, text: string] {
  if (error instanceof EngineStopped) return [error.sqlState, error.message]
  if (error instanceof SessionBusy || error instanceof TooManyConnections) return ['53300', error.message]
  if (error instanceof TooManyStatements) return ['53200', error.message]
  if (error instanceof TooLong) return ['54000', error.message]
  return ['08P01', error instanceof Error ? error.message : 'the connection failed']
}
