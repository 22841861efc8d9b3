import type { Source } from '../source.ts'
import type { Typed } from './filter-values.ts'

/** The fields of the form of a question. */
export type QuestionDraft = {
  readonly query: string
  readonly typed: Typed
  readonly topK: string
  /** Empty for all entries. */
  readonly target: string
}

export const EMPTY_DRAFT: QuestionDraft = { query: '', typed: {}, topK: '10', target: '' }

const MAX_QUERY = 8_000
const MAX_VALUES = 100
const MAX_VALUE = 8_000
/** Longer than the longest question with some filters. Browsers and chats shorten longer addresses themselves. */
const MAX_FRAGMENT = 32_000
const FILTER = 'filter.'

/** Returns the address of the form: the part behind `#`, which browsers never send to a server. */
export function linkOf(page: string, { query, typed, topK, target }: QuestionDraft): string {
  const filters = Object.entries(typed).flatMap(([column, values]) => values.map((value) => [FILTER + column, value]))
  const more = [...filters, ['hits', topK === EMPTY_DRAFT.topK ? '' : topK], ['target', target]]
  const parts = [['question', query], ...more.filter(([, value]) => value !== '')]
  return `${page}#${new URLSearchParams(parts.map((part) => part.map(encodeURIComponent)))}`
}

/**
 * Reads the form from the part of an address behind `#`, which anybody can write. Filters and targets that the source
 * does not have are left out. Returns undefined if it proposes no question.
 */
export function readLink(fragment: string, { filters, labels }: Pick<Source, 'filters' | 'labels'>) {
  if (fragment.length > MAX_FRAGMENT) return undefined
  const parts = partsOf(fragment.replace(/^#/, ''))
  const query = parts.get('question')
  if (query === null || query.length > MAX_QUERY) return undefined
  const hits = parts.get('hits') ?? ''
  const target = parts.get('target') ?? ''
  const typed = Object.keys(filters).map((column): [string, string[]] => [column, valuesOf(parts, column)])
  return {
    query,
    typed: Object.fromEntries(typed.filter(([, values]) => values.length > 0)),
    topK: /^(?:[1-9]|1\d|20)$/.test(hits) ? hits : EMPTY_DRAFT.topK,
    target: labels?.includes(target) ? target : EMPTY_DRAFT.target,
  } satisfies QuestionDraft
}

/** Everything is encoded twice, because the router decodes the address once and removes line feeds from it. */
function partsOf(text: string): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(text)].map((part) => part.map(decode)))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function valuesOf(parts: URLSearchParams, column: string): string[] {
  const values = parts.getAll(FILTER + column)
  return values.filter((value) => value !== '' && value.length <= MAX_VALUE).slice(0, MAX_VALUES)
}
