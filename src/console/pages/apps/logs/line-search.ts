import { type LogRecord, MAX_LOG_SEARCH_CHARS } from '#contract/apps/logs.ts'
import type { LogSearch } from './read-log-search.ts'

const AROUND_MS = 5 * 60_000

/** The address of a line: the time around it, with the line marked. */
export function lineSearch({ id, at }: Pick<LogRecord, 'id' | 'at'>): LogSearch {
  const time = Date.parse(at)
  return {
    since: new Date(time - AROUND_MS).toISOString(),
    until: new Date(time + AROUND_MS).toISOString(),
    line: id,
  }
}

/** Adds words to a search, once. */
export function withWords(search: LogSearch, words: string): LogSearch {
  const before = search.text ?? ''
  if (before.includes(words)) return search
  const text = `${before} ${words}`.trim()
  return { ...search, text: text.length <= MAX_LOG_SEARCH_CHARS ? text : words.slice(0, MAX_LOG_SEARCH_CHARS) }
}
