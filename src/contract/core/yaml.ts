/**
 * YAML in one fixed style: every string double-quoted, one key per line, so that the size of an answer can be
 * predicted and every parser agrees. Written by hand because a library chooses styles by content.
 */
export function toYaml(value: unknown): string {
  const lines = yamlLines(value, '')
  return typeof lines === 'string' ? `${lines}\n` : `${lines.join('\n')}\n`
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/
/** Words some parser reads as something other than text. */
const WORDS = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n', '_'])
/** YAML allows 1024 characters before the colon; a longer key needs its question mark. */
const LONGEST_KEY = 1000
/** What JSON leaves as it is and YAML 1.2 does not allow, or reads as a line break. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A scalar or empty collection stands on its key's line; anything else on lines of its own. */
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
  const head = text.length > LONGEST_KEY ? `${indent}? ${text}\n${indent}:` : `${indent}${text}:`
  const lines = yamlLines(value, `${indent}  `)
  return typeof lines === 'string' ? [`${head} ${lines}`] : [head, ...lines]
}

function listItem(value: unknown, indent: string): string[] {
  const lines = yamlLines(value, `${indent}  `)
  if (typeof lines === 'string') return [`${indent}- ${lines}`]
  return [`${indent}- ${lines[0]!.trimStart()}`, ...lines.slice(1)]
}

/** YAML 1.1 reads `1e-7` as text: there a number with an exponent has a point. */
function numeral(value: number): string {
  return String(value).replace(/^(-?\d+)e/, '$1.0e')
}

/** Half a surrogate pair is no character, and most parsers refuse its escape. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
