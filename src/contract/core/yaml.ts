/**
 * Writes YAML in one fixed style: every string in double quotes, one key per line. The size of an answer can be
 * predicted and every parser reads the same value. Libraries choose the style by content, so none is used.
 */
export function toYaml(value: unknown): string {
  const lines = yamlLines(value, '')
  return typeof lines === 'string' ? `${lines}\n` : `${lines.join('\n')}\n`
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/
/** Words that some parsers do not read as text. */
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n', '_'])
/** YAML allows 1024 characters before the colon. A longer key is written after a question mark. */
const MAX_INLINE_KEY_LENGTH = 1000
/** Characters that JSON does not escape but YAML 1.2 forbids or reads as line breaks. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Returns text for a scalar or an empty collection, which follow the key on its line, and lines for anything else. */
function yamlLines(value: unknown, indent: string): string | string[] {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Number.isFinite(value) ? numeral(value) : 'null'
  if (typeof value !== 'object') return typeof value === 'boolean' ? String(value) : 'null'
  if (value instanceof Date) return quote(value.toISOString())
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.flatMap((item) => listItem(item, indent))
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return entries.length === 0 ? '{}' : entries.flatMap(([key, item]) => mapEntry(key, item, indent))
}

function mapEntry(key: string, value: unknown, indent: string): string[] {
  const text = PLAIN_KEY.test(key) && !WORDS.has(key.toLowerCase()) ? key : quote(key)
  const head = text.length > MAX_INLINE_KEY_LENGTH ? `${indent}? ${text}\n${indent}:` : `${indent}${text}:`
  const lines = yamlLines(value, `${indent}  `)
  return typeof lines === 'string' ? [`${head} ${lines}`] : [head, ...lines]
}

function listItem(value: unknown, indent: string): string[] {
  const lines = yamlLines(value, `${indent}  `)
  if (typeof lines === 'string') return [`${indent}- ${lines}`]
  return [`${indent}- ${lines[0]!.trimStart()}`, ...lines.slice(1)]
}

/** Adds a decimal point to numbers with an exponent, because YAML 1.1 reads `1e-7` as text. */
function numeral(value: number): string {
  return String(value).replace(/^(-?\d+)e/, '$1.0e')
}

/** Quotes text. Replaces unpaired surrogates, because most parsers refuse their escapes. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
