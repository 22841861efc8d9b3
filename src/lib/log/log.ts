import pino from 'pino'
import type { LogLevel } from './log-levels.ts'

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Writes a line at level info without redacting it. Only for fields that cannot contain secrets. */
  plain(fields: Record<string, string | number>, message: string): void
  child(fields: object): Log
}

const SECRET_NAME =
  /authorization|cookie|passw|passphrase|secret|credential|tokens?$|api[-_]?keys?$|(?:signing|private|data)[-_]?keys?$|[-_]key$/i
/** Matches our tokens, JWTs, and passwords in connection strings, anywhere in a text. */
const SECRET_TEXT =
  /svc[spiclk]?_[0-9A-Za-z]{49}|svcop_[\w-]{16,}|(?<=\bBearer )[\w.~+/=-]{8,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+|(?<=:\/\/[^\s:/@]{0,128}:)[^\s/]+(?=@)/g
const HIDDEN = '[hidden]'

/** Writes JSON lines to the stream (stderr by default). Hides secrets, recognized by field name and by shape. */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const clean = { log: (fields: object) => redact(fields) as Record<string, unknown> }
  const log = pino(
    { ...options, formatters: { ...LABELS, ...clean }, hooks: { logMethod: logRedacted } },
    destination ?? pino.destination(2),
  )
  const plain = level === 'debug' || level === 'info' ? (destination ?? createBufferedStderr()) : undefined
  return withRedactedChildren(log, plain && { isoNow: createIsoNow(), write: (line) => plain.write(line) })
}

const MAX_BUFFERED_CHARS = 16_000
const MAX_BUFFERED_MS = 250

/**
 * Joins lines and writes them together, at most 250 ms later, because there is one for every request. The lines are
 * buffered here, because pino's stream measures its whole buffer at every write.
 */
function createBufferedStderr(): pino.DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false })
  let buffer = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (buffer !== '') stream.write(buffer)
    buffer = ''
  }
  // Prepended, so that the buffer is flushed before the stream closes itself.
  process.prependListener('beforeExit', flush).prependListener('exit', flush)
  return {
    write: (line) => {
      buffer += line
      if (buffer.length >= MAX_BUFFERED_CHARS) flush()
      else timer ??= setTimeout(flush, MAX_BUFFERED_MS).unref()
    },
  }
}

const LABELS = { level: (label: string) => ({ level: label }) }

/** Creates a function that writes the current time, and writes it only once for all lines of one millisecond. */
function createIsoNow(): () => string {
  let lastMs = 0
  let lastIso = ''
  return () => {
    const now = Date.now()
    if (now !== lastMs) {
      lastMs = now
      lastIso = new Date(now).toISOString()
    }
    return lastIso
  }
}

type PlainLines = { isoNow(): string; write(line: string): void }

/** Redacts the fields of child logs, because pino writes those as they are. */
function withRedactedChildren(log: pino.Logger, plain: PlainLines | undefined, childFields: object = {}): Log {
  const childText = Object.entries(childFields)
    .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join('')
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    // Formatted by hand for speed, because there is one line per request.
    plain: (fields, message) => {
      if (!plain) return
      let line = `{"level":"info","time":"${plain.isoNow()}"${childText}`
      for (const key in fields) {
        const value = fields[key]!
        line += `,"${key}":${typeof value === 'number' ? value : quoted(value)}`
      }
      plain.write(`${line},"msg":"${message}"}\n`)
    },
    child: (fields) => {
      const clean = redact(fields) as Record<string, unknown>
      return withRedactedChildren(log.child(clean), plain, { ...childFields, ...clean })
    },
  }
}

const NEEDS_NO_ESCAPE = /^[\w.:-]*$/

function quoted(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text)
}

function logRedacted(this: pino.Logger, args: unknown[], method: pino.LogFn): void {
  const clean = args.map((arg) => (typeof arg === 'string' ? hideSecrets(arg) : arg))
  method.apply(this, clean as Parameters<pino.LogFn>)
}

export function hideSecrets(text: string): string {
  return text.replace(SECRET_TEXT, HIDDEN)
}

/** Returns a copy without secrets. Errors become name, message, code, stack and cause; depth is limited to 6. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return hideSecrets(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth > 6) return '[deep]'
  if (value instanceof Error) return redactError(value, depth)
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  const entries = Object.entries(value).map(([key, item]) =>
    SECRET_NAME.test(key) && item != null ? [key, HIDDEN] : [hideSecrets(key), redact(item, depth + 1)],
  )
  return Object.fromEntries(entries)
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: hideSecrets(error.message),
    ...('code' in error && { code: redact(error.code, depth + 1) }),
    ...(error.stack && { stack: hideSecrets(error.stack) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  }
}
