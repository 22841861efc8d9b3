import { DISTANCE_METRICS, type EmbeddingConfigInput, MAX_DIMENSIONS } from '#contract/data-sources/search-config.ts'
import { FilterType } from '#contract/data-sources/sources.ts'
import { splitNames } from '#contract/data-sources/table-name.ts'
import type { Reporter } from './findings.ts'
import { shown } from './names.ts'

/** `dimensions` is undefined where only the provider knows them. */
type FindModel = (name: string) => { readonly dimensions: number | undefined } | undefined
export type EmbeddingModels = { readonly findModel: FindModel; readonly modelNames: () => readonly string[] }

/** Keys that an answer uses itself, and one that is not an ordinary key of JavaScript objects. */
const RESERVED_KEYS = ['_score', '_target', '_relevance', '__proto__']
const MAX_LABEL_LENGTH = 100

/** Checks what can be checked of an entry without its database. */
export function checkEntry(entry: EmbeddingConfigInput, earlierLabels: readonly string[], report: Reporter): void {
  checkLabel(entry.label, earlierLabels, report)
  if (!isMetric(entry.distance_metric)) report.problem('distance_metric', `must be ${DISTANCE_METRICS.join(', ')}`)
  if (entry.columns.length !== 1) report.problem('columns', 'must name exactly one vector column')
  checkContent(entry, report)
}

function checkLabel(label: string, earlier: readonly string[], report: Reporter): void {
  if (label.trim() === '') report.problem('label', 'must not be empty')
  else if (label !== label.trim()) report.problem('label', 'must not begin or end with a space')
  if (label.length > MAX_LABEL_LENGTH) report.problem('label', `must have at most ${MAX_LABEL_LENGTH} characters`)
  if (/\p{Cc}/u.test(label)) report.problem('label', 'must be one line without control characters')
  if (earlier.includes(label)) report.problem('label', `"${shown(label)}" is the label of an earlier entry`)
}

export function isMetric(text: string): text is (typeof DISTANCE_METRICS)[number] {
  return (DISTANCE_METRICS as readonly string[]).includes(text)
}

export function checkDimensions(
  { model, dimensions }: EmbeddingConfigInput,
  { findModel, modelNames }: EmbeddingModels,
  report: Reporter,
): void {
  const valid = Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= MAX_DIMENSIONS
  if (!valid) report.problem('dimensions', `must be a whole number from 1 to ${MAX_DIMENSIONS}`)
  const found = findModel(model)
  if (!found) report.problem('model', `unknown embedding model "${shown(model)}"${report.near(model, modelNames())}`)
  else if (valid && found.dimensions !== undefined && found.dimensions !== dimensions) {
    report.problem('dimensions', `${shown(model)} creates vectors of ${found.dimensions} dimensions, not ${dimensions}`)
  }
}

function checkContent({ content_columns, columns }: EmbeddingConfigInput, report: Reporter): undefined {
  const names = splitNames(content_columns, ',')
  if (!names) return report.problem('content_columns', 'must be comma-separated column names, quoted as in SQL')
  if (names.includes('')) report.problem('content_columns', 'must not contain an empty name')
  for (const name of new Set(names.filter((each, i) => names.indexOf(each) !== i && each !== ''))) {
    report.problem('content_columns', `"${shown(name)}" is named twice`)
  }
  for (const name of RESERVED_KEYS.filter((each) => names.includes(each))) {
    report.problem('content_columns', `"${name}" cannot be returned, because answers use that name themselves`)
  }
  if (columns[0] !== undefined && names.includes(columns[0])) {
    report.problem('content_columns', `"${shown(columns[0])}" is the vector column, which is not returned`)
  }
}

export function contentNames({ content_columns }: EmbeddingConfigInput): string[] {
  return [...new Set(splitNames(content_columns, ',') ?? [])].filter((name) => name !== '')
}

/** Returns the filters that have a name and a known type. */
export function readFilterSchema(schema: Readonly<Record<string, string>>, report: Reporter): Map<string, FilterType> {
  const filters = new Map<string, FilterType>()
  for (const [column, text] of Object.entries(schema)) {
    const type = FilterType.safeParse(text)
    if (type.success && column !== '') filters.set(column, type.data)
    else if (column === '') report.problem('', 'must have a column name')
    else report.problem(column, `must be ${FilterType.options.join(', ')}`)
  }
  return filters
}
