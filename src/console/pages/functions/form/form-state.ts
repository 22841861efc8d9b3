import { exampleOf, isExact, parseArguments, parseJson } from './arguments.ts'
import type { Json } from './json-parts.ts'
import { type Argument, shorten } from './read-fields.ts'

/**
 * The JSON is what a call sends. The form only changes it, and shows what stands in it. `drafts` are the texts of the
 * fields that were typed since the JSON itself was edited: `1.0` is 1 in the JSON, and must not become `1` while somebody
 * types `1.05`.
 */
export type FormState = { readonly json: string; readonly drafts: ReadonlyMap<string, string> }

/** The text of a field, and what is wrong with it. A fault of a draft is not in the JSON, so that it stops the call. */
export type FieldText = { readonly text: string; readonly fault?: string; readonly note?: string }

type Typed = { readonly value: unknown } | { readonly isLeftOut: true } | { readonly fault: string }

const MAX_NOTE = 60

export function startForm(schema: unknown): FormState {
  return typeJson(JSON.stringify(exampleOf(schema), null, 2))
}

export function typeJson(json: string): FormState {
  return { json, drafts: new Map() }
}

/** Writes a typed field into the JSON, in the order of the form. Nothing changes while the JSON cannot be read. */
export function typeField(state: FormState, fields: readonly Argument[], name: string, text: string): FormState {
  const parsed = parseArguments(state.json)
  const field = fields.find((each) => each.name === name)
  if (!field || 'fault' in parsed) return state
  const typed = readTyped(field, text)
  const values = new Map(Object.entries(parsed.value))
  if ('value' in typed) values.set(name, typed.value)
  else values.delete(name)
  const names = fields.map((each) => each.name).filter((each) => values.has(each))
  const ordered = new Set([...names, ...values.keys()])
  const value = Object.fromEntries([...ordered].map((each) => [each, values.get(each)]))
  return { json: JSON.stringify(value, null, 2), drafts: new Map([...state.drafts, [name, text]]) }
}

/** Returns the arguments to send, or why they cannot be sent. */
export function readForm(state: FormState, fields: readonly Argument[]): { value: Json } | { fault: string } {
  const parsed = parseArguments(state.json)
  if ('fault' in parsed) return parsed
  const wrong = fields.find((field) => showField(state, parsed.value, field).fault !== undefined)
  return wrong ? { fault: `Correct ${wrong.name} first.` } : parsed
}

/** Returns what a field shows for the arguments that the JSON has. */
export function showField({ drafts }: FormState, value: Json, field: Argument): FieldText {
  const draft = drafts.get(field.name)
  if (draft !== undefined) {
    const typed = readTyped(field, draft)
    return { text: draft, ...('fault' in typed && { fault: typed.fault }) }
  }
  if (!Object.hasOwn(value, field.name)) return { text: '' }
  const text = textOf(field, value[field.name])
  if (text !== undefined) return { text }
  const shown = shorten(JSON.stringify(value[field.name]), MAX_NOTE)
  return { text: '', note: `The JSON has ${shown}, which this field cannot show.` }
}

function readTyped(field: Argument, text: string): Typed {
  if (text === '') return field.kind === 'text' && field.isRequired ? { value: '' } : { isLeftOut: true }
  switch (field.kind) {
    case 'text':
      return { value: text }
    case 'choice':
      return { value: field.options[Number(text)] }
    case 'boolean':
      return { value: text === 'true' }
    case 'json':
      return readJson(text)
    case 'number':
    case 'integer':
      return readNumber(text.trim(), field.kind)
    default:
      return field satisfies never
  }
}

function readNumber(digits: string, kind: 'number' | 'integer'): Typed {
  const value = Number(digits)
  if (digits === '' || !Number.isFinite(value) || !/^[-+\d.e]+$/i.test(digits))
    return { fault: `Must be a number, not ${shorten(digits, MAX_NOTE)}` }
  if (!isExact(digits)) return { fault: `Would be sent as ${value}. Type fewer digits` }
  return kind === 'number' || Number.isInteger(value) ? { value } : { fault: `Must be a whole number, not ${digits}` }
}

function readJson(text: string): Typed {
  const read = parseJson(text)
  return 'fault' in read ? { fault: 'Must be JSON, such as "text", 1, [] or {}' } : read
}

/** Returns the text of a value in its field, or undefined if the field cannot show it. */
function textOf(field: Argument, value: unknown): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'choice': {
      const index = field.options.indexOf(value as never)
      return index < 0 ? undefined : String(index)
    }
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined
    case 'number':
    case 'integer':
      return typeof value === 'number' ? String(value) : undefined
    case 'json':
      return JSON.stringify(value, null, 2)
    default:
      return field satisfies never
  }
}
