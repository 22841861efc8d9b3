import type { EnvironmentReader } from './reader.ts'

const DEFAULT_PER_MINUTE = 60
const DEFAULT_PER_DAY = 5_000
const MAX_QUESTIONS = 1_000_000_000

export function readQuestions(read: EnvironmentReader) {
  return Object.freeze({
    /** How many questions an organization may ask its data sources, unless an operator sets other numbers for it. */
    perMinute: read.integer('SVC_QUESTIONS_PER_MINUTE', DEFAULT_PER_MINUTE, 0, MAX_QUESTIONS),
    perDay: read.integer('SVC_QUESTIONS_PER_DAY', DEFAULT_PER_DAY, 0, MAX_QUESTIONS),
    /** Whether the worker measures how each vector index is best searched. */
    measuresIndexes: read.flag('SVC_MEASURE_INDEXES', true),
    /** Whether the worker looks at the vectors of each source at night. */
    watchesVectors: read.flag('SVC_WATCH_VECTORS', true),
    /** Whether that look and measurements may send the text of rows to a model of a provider outside. */
    rowTextToProviders: read.flag('SVC_DATA_ROW_TEXT_TO_PROVIDERS', false),
  })
}
