/** A line that a program wrote for programs: its message, and the rest by name, as text. */
type ParsedLine = { readonly message: string; readonly fields: readonly Field[] }
type Field = {
  readonly name: string
  readonly value: string
  /** The words by which lines with the same value are found. */
  readonly search: string
}

/** Names under which programs write the message, the commonest first. */
const MESSAGES = ['msg', 'message', 'event', 'text', 'error']
/** Fields that the columns of the table show already. */
const SHOWN = new Set(['time', 'timestamp', 'ts', 'at', '@timestamp', 'level', 'severity', 'lvl'])
const MAX_FIELDS = 40
/**
 * A pair begins a line or follows a blank. Were it looked for inside of words too, each of their letters would be searched
 * to the end of the word, in quadratic time, and an app could stop the page with one line.
 */
const PAIR = /(?<=^|\s)([A-Za-z_][\w.-]*)=("(?:[^"\\]|\\.)*"|[^\s"]+)(?=\s|$)/g

/** Reads a line of JSON, or one of pairs (`status=200 path=/`). Returns undefined for a line of words. */
export function parseLine(text: string): ParsedLine | undefined {
  if (!text.startsWith('{')) return parsePairs(text)
  try {
    return parseJsonLine(text)
  } catch {
    // It is no JSON, or is nested too deeply to be written again.
    return undefined
  }
}

function parseJsonLine(text: string): ParsedLine | undefined {
  const read = JSON.parse(text) as Record<string, unknown>
  const name = MESSAGES.find((key) => typeof read[key] === 'string')
  const rest = Object.entries(read).filter(([key]) => key !== name && !SHOWN.has(key))
  if (name === undefined && rest.length === 0) return undefined
  const fields = rest.slice(0, MAX_FIELDS).map(([key, value]) => {
    const json = JSON.stringify(value)
    const written = typeof value === 'string' ? value : json
    const pair = `${JSON.stringify(key)}:${json}`
    return { name: key, value: written, search: !/\s/.test(pair) && text.includes(pair) ? pair : written }
  })
  return { message: name === undefined ? '' : String(read[name]), fields }
}

/** At least two pairs, so that a sentence with one `=` stays a sentence. */
function parsePairs(text: string): ParsedLine | undefined {
  const pairs = [...text.matchAll(PAIR)].slice(0, MAX_FIELDS + SHOWN.size)
  if (pairs.length < 2) return undefined
  const fields = pairs.map(([whole, name, value]) => ({
    name: name!,
    value: value!.startsWith('"') ? value!.slice(1, -1).replaceAll('\\"', '"') : value!,
    search: whole,
  }))
  const message = MESSAGES.map((name) => fields.find((field) => field.name === name)).find(Boolean)
  const words = text.replaceAll(PAIR, '').replaceAll(/\s+/g, ' ').trim()
  const rest = fields.filter((field) => field !== message && !SHOWN.has(field.name)).slice(0, MAX_FIELDS)
  return { message: [words, message?.value].filter(Boolean).join(' '), fields: rest }
}
