import pino from 'pino'

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const SECRET_NAME = /^(?:authorization|cookie|set-cookie|password|.*secret.*|.*_?token|api_?key|.*_key)$/i
/** Our tokens, JWTs, and passwords inside connection strings, wherever in a text they stand. */
const SECRET_TEXT = /svc_[0-9A-Za-z]{49}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+|(?<=:\/\/[^\s:/@]{0,128}:)[^\s@/]+(?=@)/g
const HIDDEN = '[hidden]'

/** JSON lines on the given stream, with secrets hidden by name and by shape before they are written. */
export function createLog(level: LogLevel, destination: pino.DestinationStream = pino.destination(2)): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields) as Record<string, unknown> },
      hooks: { logMethod: logRedacted },
    },
    destination,
  )
}

function logRedacted(this: pino.Logger, args: unknown[], method: pino.LogFn): void {
  const clean = args.map((arg) => (typeof arg === 'string' ? hideSecrets(arg) : arg))
  method.apply(this, clean as Parameters<pino.LogFn>)
}

export function hideSecrets(text: string): string {
  return text.replace(SECRET_TEXT, HIDDEN)
}

/** A copy fit to be written: errors as name, message and stack, depth bounded. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return hideSecrets(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth > 6) return '[deep]'
  if (value instanceof Error) return redactError(value, depth)
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  const entries = Object.entries(value).map(([key, item]) =>
    SECRET_NAME.test(key) && item != null ? [key, HIDDEN] : [key, redact(item, depth + 1)],
  )
  return Object.fromEntries(entries)
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: hideSecrets(error.message),
    ...('code' in error && { code: error.code }),
    ...(error.stack && { stack: hideSecrets(error.stack) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  }
}

export const silentLog: Log = createLog('silent')
