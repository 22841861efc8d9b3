import { parse } from 'yaml'
import { ServiceError } from '#contract/core/errors.ts'
import { usageError } from '../../../command/hinted-error.ts'

/** A question and the ids of which at least one must be found. */
export type Question = {
  question: string
  expect: readonly string[]
  filters: Record<string, unknown>
  target: string | undefined
}
type Fault = { path: string; message: string }

const KEYS = ['question', 'expect', 'filters', 'target']
const MAX_QUESTIONS = 10_000

/** Reads a list of questions from YAML or JSON. Throws with every fault of the file at once. */
export function parseQuestions(text: string, file: string): Question[] {
  const value = parseYaml(text, file)
  if (!Array.isArray(value) || value.length === 0) {
    throw usageError(`${file} must be a list of questions, each with question and expect.`)
  }
  if (value.length > MAX_QUESTIONS) {
    throw usageError(`${file} has ${value.length} questions. At most ${MAX_QUESTIONS} are read.`)
  }
  const errors = value.flatMap((item: unknown, place) => faultsOf(item, `question ${place + 1}`))
  if (errors.length > 0)
    throw new ServiceError('INVALID_REQUEST', `${file} has questions that cannot be asked.`, { errors })
  return value.map((item) => toQuestion(item as Record<string, unknown>))
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text) as unknown
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n')
    throw new ServiceError('INVALID_REQUEST', `${file} is not valid YAML: ${reason}`, { cause })
  }
}

function faultsOf(item: unknown, path: string): Fault[] {
  if (!isObject(item)) return [{ path, message: 'must have question and expect' }]
  const unknown = Object.keys(item).filter((key) => !KEYS.includes(key))
  const faults: (Fault | undefined)[] = [
    isText(item.question) ? undefined : { path, message: 'question must be a text of 1 to 8000 characters' },
    isIds(item.expect) ? undefined : { path, message: 'expect must be an id, or a list of ids' },
    item.filters === undefined || isObject(item.filters) ? undefined : { path, message: 'filters must be a map' },
    item.target === undefined || isText(item.target) ? undefined : { path, message: 'target must be a label' },
    ...unknown.map((key) => ({ path, message: `has an unknown key: ${key}. Keys: ${KEYS.join(', ')}` })),
  ]
  return faults.filter((fault) => fault !== undefined)
}

function toQuestion({ question, expect, filters, target }: Record<string, unknown>): Question {
  return {
    question: question as string,
    expect: [expect].flat().map(String),
    filters: (filters ?? {}) as Record<string, unknown>,
    target: target as string | undefined,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 8000
}

/** Ids in YAML may be numbers. Hits have them as text. */
function isIds(value: unknown): boolean {
  const ids = [value].flat()
  return ids.length > 0 && ids.every((id) => (typeof id === 'string' && id !== '') || typeof id === 'number')
}
