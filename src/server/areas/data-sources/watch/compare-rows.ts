import type { ResolvedEntry } from '../search/entry.ts'
import { BUDGET } from './budget.ts'
import { type Compared, compareTexts } from './compare-texts.ts'
import { embedInParts, type RowModels } from './embed-rows.ts'
import type { ComparedRow } from './find-recipe.ts'
import { LookStopped } from './look-stopped.ts'
import type { WatchedEntry } from './stored-entry.ts'
import { textColumns } from './text-columns.ts'

const DAY_MS = 24 * 60 * 60_000
/** Columns that no recipe fits are tried again after a week, because trying costs as much as comparing. */
const SEEK_AGAIN_MS = 6.5 * DAY_MS

/** `isSought`: every recipe was tried. */
export type Comparison = Compared | { readonly notChecked: string; readonly isSought: boolean }

export type ComparingRows = RowModels & {
  readonly org_id: string
  readonly entry: ResolvedEntry
  readonly before: WatchedEntry
  readonly now: Date
  readonly signal: AbortSignal
  readonly permit: () => Promise<void>
}

/** Embeds the texts of some rows again, where the model can be called. Throws only if the look is stopped. */
export async function compareRows(comparing: ComparingRows, rows: readonly ComparedRow[]): Promise<Comparison> {
  const { entry, before } = comparing
  const place = comparing.placeOf(entry.model)
  if (place === 'unknown') return refuse(`${entry.model} is not configured`)
  if (place === 'outside_not_allowed')
    return refuse(`${entry.model} is a model of a provider outside, and the operator did not allow to send it row text`)
  const former = soughtInVain(comparing)
  if (former !== undefined) return refuse(former)
  const timeout = AbortSignal.timeout(BUDGET.embeddingMs)
  const signal = AbortSignal.any([comparing.signal, timeout])
  const embed = embedInParts({ ...comparing, model: entry.model, signal })
  const some = spread(rows, place === 'here' ? BUDGET.embeddedHere : BUDGET.embeddedOutside)
  const recipe = before.recipe ?? undefined
  try {
    const compared = await compareTexts({ columns: textColumns(entry), recipe, rows: some, place, embed })
    return 'notChecked' in compared ? { ...compared, isSought: true } : compared
  } catch (error) {
    if (error instanceof LookStopped) throw error
    if (comparing.signal.aborted) throw new LookStopped('aborted')
    return refuse(timeout.aborted ? 'the model took too long' : reasonOf(error))
  }
}

function refuse(notChecked: string): Comparison {
  return { notChecked, isSought: false }
}

/** The reason of a former night in which every recipe was tried, if that was not long ago. */
function soughtInVain({ before, now }: ComparingRows): string | undefined {
  const soughtAt = before.recipe_sought_at
  if (before.recipe || soughtAt === null || now.getTime() - Date.parse(soughtAt) >= SEEK_AGAIN_MS) return undefined
  return before.not_checked.find(({ kind }) => kind === 'stale')?.reason
}

function spread<T>(rows: readonly T[], count: number): T[] {
  const step = Math.max(1, rows.length / count)
  return rows.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
}

/** The text of an error is not shown, because a provider may repeat what it was sent. */
function reasonOf(error: unknown): string {
  const isUsedUp = error instanceof Error && 'code' in error && error.code === 'RATE_LIMITED'
  return isUsedUp ? 'too few tokens of the organization were left that day' : 'the model did not answer'
}
