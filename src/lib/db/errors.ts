import { WorkerStopped } from '../worker-host.ts'

/** The database cannot answer now; nothing is known to be wrong with the request. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly retryAfterSeconds: number
  constructor(message: string, options: { cause: unknown; retryAfterSeconds?: number }) {
    super(message, { cause: options.cause })
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
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
// What node-postgres says of connections that failed or were closed; it gives these errors no code.
const TEXTS =
  /^(?:timeout expired|timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Client was closed)/

export function unavailableFrom(error: unknown): DatabaseUnavailable | undefined {
  if (error instanceof DatabaseUnavailable) return error
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (error instanceof WorkerStopped || STATES.has(code) || SOCKET.has(code) || TEXTS.test(error.message)) {
    return new DatabaseUnavailable('the database cannot answer now', { cause: error })
  }
  return error.cause instanceof DatabaseUnavailable ? error.cause : undefined
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== '23505') return false
  return constraint === undefined || ('constraint' in error && error.constraint === constraint)
}
