import pino from 'pino'

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** For lines whose fields are all our own: nothing to hide, so nothing is looked for. At level info. */
  plain(fields: Record<string, string | number>, message: string): void
  child(fields: object): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const SECRET_NAME =
  /authorization|cookie|passw|passphrase|secret|credential|tokens?$|api[-_]?keys?$|(?:signing|private|data)[-_]?keys?$|[-_]key$/i
/** Our tokens, JWTs, and passwords inside connection strings, wherever in a text they stand. */
const SECRET_TEXT =
  /svc[spic]?_[0-9A-Za-z]{49}|svcop_[\w-]{16,}|(?<=\bBearer )[\w.~+/=-]{8,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+|(?<=:\/\/[^\s:/@]{0,128}:)[^\s/]+(?=@)/g
const HIDDEN = '[hidden]'

/** JSON lines on the given stream, with secrets hidden by name and by shape before they are written. */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const clean = { log: (fields: object) => redact(fields) as Record<string, unknown> }
  const log = pino(
    { ...options, formatters: { ...LABELS, ...clean }, hooks: { logMethod: logRedacted } },
    destination ?? pino.destination(2),
  )
  const plain = level === 'debug' || level === 'info' ? (destination ?? gathered()) : undefined
  return withCleanChildren(log, plain && { isoNow: createIsoNow(), write: (line) => plain.write(line) })
}

const GATHERED_CHARS = 16_000
const GATHERED_MS = 250

/**
 * Lines by the hundred are written together, a quarter of a second late at most; the rest is written at once.
 * Gathered here, because the stream measures all it holds at every write.
 */
function gathered(): pino.DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false })
  let held = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (held !== '') stream.write(held)
    held = ''
  }
  // Before the stream's own farewell.
  process.prependListener('beforeExit', flush).prependListener('exit', flush)
  return {
    write: (line) => {
      held += line
      if (held.length >= GATHERED_CHARS) flush()
      else timer ??= setTimeout(flush, GATHERED_MS).unref()
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
function withCleanChildren(log: pino.Logger, plain: PlainLines | undefined, held: object = {}): Log {
  const heldText = Object.entries(held)
    .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join('')
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    // Written by hand: one comes with every request.
    plain: (fields, message) => {
      if (!plain) return
      let line = `{"level":"info","time":"${plain.isoNow()}"${heldText}`
      for (const key in fields) {
        const value = fields[key]!
        line += `,"${key}":${typeof value === 'number' ? value : JSON.stringify(value)}`
      }
      plain.write(`${line},"msg":"${message}"}\n`)
    },
    child: (fields) => {
      const clean = redact(fields) as Record<string, unknown>
      return withCleanChildren(log.child(clean), plain, { ...held, ...clean })
    },
  }
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
