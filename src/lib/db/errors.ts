import { writeFaultOf } from '../files/write-fault.ts'
import { WorkerStopped } from '../threads/worker-host.ts'

/** The database cannot answer now. The request itself may be right and can be repeated. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly retryAfterSeconds: number
  /** Why nothing can be written, in words that anybody may see. Undefined when there is another reason. */
  readonly writeFault: string | undefined
  constructor(message: string, options: { cause: unknown; retryAfterSeconds?: number; writeFault?: string }) {
    super(message, { cause: options.cause })
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
    this.writeFault = options.writeFault
  }
}

const DISK_RETRY_SECONDS = 10

/** Returns the error to show when the whole database is read-only (a standby, or set so), else undefined. */
export function standbyFrom(error: unknown): DatabaseUnavailable | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '25006') return undefined
  return readOnlyDatabase(error)
}

export function readOnlyDatabase(cause?: unknown): DatabaseUnavailable {
  return cannotWrite('the database is read-only: it is a standby, or is set to read-only', cause)
}

function cannotWrite(writeFault: string, cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(writeFault, { cause, retryAfterSeconds: DISK_RETRY_SECONDS, writeFault })
}

// https://www.postgresql.org/docs/15/errcodes-appendix.html
const STATES = new Set([
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '58000',
  '53200',
  '53300',
  '53400',
  '55P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
])
const SOCKET = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
)
// Messages of node-postgres about connections that failed or were closed. These errors have no code.
const TEXTS =
  /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/

export function unavailableFrom(error: unknown): DatabaseUnavailable | undefined {
  if (error instanceof DatabaseUnavailable) return error
  if (!(error instanceof Error)) return undefined
  const writeFault = writeFaultOf(error)
  if (writeFault) return cannotWrite(writeFault, error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isAway = error instanceof WorkerStopped || STATES.has(code) || SOCKET.has(code) || TEXTS.test(error.message)
  if (isAway || isStalePlan(error)) {
    return new DatabaseUnavailable('the database cannot answer now', { cause: error })
  }
  return error.cause instanceof DatabaseUnavailable ? error.cause : undefined
}

/**
 * True when a table got another column after this connection had prepared the statement. Only another connection can run
 * it again.
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '0A000' && error.message.startsWith('cached plan ')
}

/** Whether an error or one of its causes has one of these codes. An unavailable database has the reason as its cause. */
export function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && codes.has(String(error.code))) || hasCode(error.cause, codes)
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false
  return constraint === undefined || ('constraint' in error && error.constraint === constraint)
}
