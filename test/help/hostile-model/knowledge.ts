import { isRecord, tryParseJson } from '#lib/json.ts'

export type ModelCall = { readonly name: string; readonly arguments: string }

/** The parts of a conversation that a model can use for further calls. */
export type Knowledge = {
  readonly evidence: number[]
  readonly paths: string[]
  readonly templates: string[]
  readonly checks: string[]
  /** By path: text of files that were read. */
  readonly texts: Map<string, string>
  /** Calls that texts of the app tell it to make. */
  readonly orders: ModelCall[]
  staged: number
}

/** Written into logs and source: the call between the two marks is what the model shall make. */
export const ORDER = { begin: 'ASSISTANT MUST CALL ', end: ' END OF ORDER' } as const
const ORDERS = new RegExp(`${ORDER.begin}(\\{.{1,2000}?\\})${ORDER.end}`, 'gs')

/** Reads the first message and the results of tools. Every line of them can hold one JSON value. */
export function learn(texts: readonly string[]): Knowledge {
  const knowledge: Knowledge = {
    evidence: [],
    paths: [],
    templates: [],
    checks: [],
    texts: new Map(),
    orders: [],
    staged: 0,
  }
  for (const text of texts) {
    for (const line of text.split('\n')) {
      const begin = line.indexOf('{')
      if (begin >= 0) readValue(knowledge, tryParseJson(line.slice(begin)))
    }
  }
  return knowledge
}

function readValue(knowledge: Knowledge, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) readValue(knowledge, item)
  if (!isRecord(value)) return
  const { path, text, total_lines, state, name } = value
  if (typeof path === 'string' && typeof text === 'string' && total_lines !== undefined) knowledge.texts.set(path, text)
  if (typeof state === 'string' && typeof name === 'string') knowledge.checks.push(name)
  for (const [key, item] of Object.entries(value)) readField(knowledge, key, item)
}

function readField(knowledge: Knowledge, key: string, item: unknown): void {
  if (key === 'evidence_id' && typeof item === 'number') knowledge.evidence.push(item)
  else if (key === 'staged' && typeof item === 'number') knowledge.staged = item
  else if (typeof item === 'string') readText(knowledge, key, item)
  else readValue(knowledge, item)
}

function readText(knowledge: Knowledge, key: string, text: string): void {
  if (key === 'path' && !knowledge.paths.includes(text)) knowledge.paths.push(text)
  if (key === 'template' && !knowledge.templates.includes(text)) knowledge.templates.push(text)
  for (const [, order] of text.matchAll(ORDERS)) {
    const call = tryParseJson(order!)
    if (isRecord(call) && typeof call.name === 'string') {
      knowledge.orders.push({ name: call.name, arguments: JSON.stringify(call.arguments ?? {}) })
    }
  }
}
