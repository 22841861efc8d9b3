import { ServiceError } from '#contract/core/errors.ts'
import type { ModelCheck } from '#contract/data-sources/search-config.ts'
import type { ResolvedEntry } from '../search/entry.ts'
import type { PersonValues } from '../search/person.ts'
import type { Reader } from '../search/reader.ts'
import { tableText } from './check-table.ts'
import { readSample } from './read-sample.ts'
import { MIN_COMPARED_ROWS, resembles } from './resembles.ts'

/** Texts are the content of rows: they are embedded without being cached or logged. */
export type ContentModels = {
  embedContent: (content: {
    org_id: string
    model: string
    texts: readonly string[]
    signal: AbortSignal
  }) => Promise<readonly Float32Array[]>
  /** Whether the model runs in this process, so that no content leaves it. */
  isBuiltinModel: (name: string) => boolean
}

type Comparing = ContentModels & {
  reader: Reader
  org_id: string
  /** The person who saves, where the rows are told apart by person: only rows of that person are compared. */
  person: PersonValues | undefined
  /** Whether content may be sent to a provider outside. */
  mayLeave: boolean
  /** Aborted when the caller is gone. */
  signal: AbortSignal
}

/** All entries of a save together; the rest is then not compared. A save must not take much longer for this. */
const COMPARE_LIMIT_MS = 10_000

/** Compares vectors of each entry with those that its model makes of the same rows. Never throws. */
export async function compareModels(deps: Comparing, entries: readonly ResolvedEntry[]): Promise<EntryCheck[]> {
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(COMPARE_LIMIT_MS)])
  const checks: EntryCheck[] = []
  for (const entry of entries) checks.push({ entry, ...(await compare({ ...deps, signal }, entry)) })
  return checks
}

type Result = Pick<ModelCheck, 'outcome' | 'detail'> & {
  /** Whether a comparison that was asked for could not be made. */
  hasFailed?: boolean
}
type EntryCheck = Result & { entry: ResolvedEntry }

async function compare(deps: Comparing, entry: ResolvedEntry): Promise<Result> {
  const { model } = entry
  if (!deps.mayLeave && !deps.isBuiltinModel(model)) {
    return notCompared(`${model} is a model of a provider outside. Save with send_sample_to_provider to compare it.`)
  }
  if (deps.signal.aborted) return failed('comparing all entries took too long')
  const sample = await readSample(deps.reader, entry, deps.person).catch(() => undefined)
  if (!sample) return failed('the rows could not be read')
  if (sample.texts.length < MIN_COMPARED_ROWS) return tooFewRows()
  try {
    const { texts, stored } = sample
    const modelVectors = await deps.embedContent({ org_id: deps.org_id, model, texts, signal: deps.signal })
    return verdict(entry, modelVectors, stored)
  } catch (error) {
    return failed(reasonOf(error))
  }
}

function verdict(
  { dimensions, model }: ResolvedEntry,
  modelVectors: readonly Float32Array[],
  stored: readonly number[][],
): Result {
  const other = modelVectors.find(({ length }) => length !== dimensions)
  if (other) return { outcome: 'different', detail: `${model} makes vectors of ${other.length} dimensions` }
  const found = resembles({ modelVectors, stored })
  if (!found) return tooFewRows()
  return { outcome: found.isAlike ? 'alike' : 'different', detail: `${found.rows} rows were compared` }
}

function notCompared(detail: string): Result {
  return { outcome: 'not_compared', detail }
}

function tooFewRows(): Result {
  return notCompared(`There are not enough rows: at least ${MIN_COMPARED_ROWS} with a vector and different content.`)
}

function failed(detail: string): Result {
  return { outcome: 'not_compared', detail, hasFailed: true }
}

/** The text of an error is not shown, because a provider may repeat what it was sent. */
function reasonOf(error: unknown): string {
  const isUsedUp = error instanceof ServiceError && error.code === 'RATE_LIMITED'
  return isUsedUp ? 'too few tokens of the organization are left today' : 'the model did not answer'
}

/** Returns what a save warns of: vectors of another model, and a comparison that failed. */
export function checkWarning({ entry, outcome, detail, hasFailed }: EntryCheck): string | undefined {
  const vectors = `the vectors of "${entry.vector_column}" in ${tableText({ ...entry, name: entry.table })}`
  if (hasFailed) return `${vectors} were not compared with ${entry.model}: ${detail}. Save again to compare them`
  if (outcome !== 'different') return undefined
  return (
    `${vectors} do not resemble those that ${entry.model} makes of the content columns (${detail} at the last save): ` +
    'another model filled the column, or it was filled from other columns. Questions then find unrelated rows. ' +
    'Configure the model that filled it, or fill it again'
  )
}
