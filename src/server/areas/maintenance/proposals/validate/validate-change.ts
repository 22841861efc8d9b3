import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import type { AppRevision, DiffAppTexts, SaveAppChange } from '#ports/app-changes.ts'
import type { AppSource, RedactorOf } from '#ports/apps.ts'
import { applyEdits, type Edit } from '../../edits/apply-edits.ts'
import { buildChange, type ChangeTrials } from './build-change.ts'
import { type ParseResult, parseChange } from './parse.ts'
import { findUnshownText, readTexts } from './unshown.ts'

export type ChangeDeps = {
  readonly source: Pick<AppSource, 'live' | 'read'>
  readonly diffTexts: DiffAppTexts
  readonly saveChange: SaveAppChange
  readonly trials: ChangeTrials
  readonly redactorOf: RedactorOf
}

type Change = AppRevision & {
  readonly edits: readonly Edit[]
  readonly summary: string
  /** Checks in the transaction that stores the revision that the change is still wanted. */
  readonly hold: (tx: Tx) => Promise<boolean>
  /** Aborted when the change is not wanted any more. */
  readonly signal: AbortSignal
}

export type ValidatedChange =
  | {
      /** The strongest check that passed: `not_run` means that none could judge the change. */
      readonly validation: 'static' | 'built' | 'tested' | 'not_run'
      /** Sentences about what was not checked. */
      readonly notes: readonly string[]
      /** The revision that the edits make. */
      readonly revisionId: string
    }
  | { readonly invalid: string }

/** As the revisions and the audit trail name the author of the agent's changes. */
export const AGENT_ACTOR = 'maintenance agent'

/**
 * Makes the revision that the edits make of a revision, if they apply, a reviewer will see every changed byte, the
 * changed files parse and, where the operator allows it, the app still builds. Returns undefined if the change is not wanted any more.
 */
export async function validateChange(
  { source, diffTexts, saveChange, trials, redactorOf }: ChangeDeps,
  { edits, summary, hold, signal, ...revision }: Change,
): Promise<ValidatedChange | undefined> {
  const paths = edits.map(({ path }) => path)
  const before = await readTexts(source, revision.appId, revision.revisionId, paths)
  const applied = applyEdits(before, edits)
  if ('fault' in applied) return { invalid: toReason(applied, edits) }
  const unshown = await findUnshownText(diffTexts, before, applied.texts)
  if (unshown !== undefined) return { invalid: unshown }
  const results: ParseResult[] = []
  for (const [path, after] of applied.texts) {
    results.push(await parseChange({ path, before: before.get(path)!, after }))
  }
  const fault = results.find((result) => result.type === 'fault')
  if (fault) return { invalid: fault.reason }
  const built = await buildChange({ trials, redactorOf }, { ...revision, texts: applied.texts, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    },
  )
  if (built === undefined) return undefined
  if (built.type === 'invalid') return { invalid: built.reason }
  const change = { ...revision, texts: applied.texts, message: summary.slice(0, MAX_MESSAGE), actor: AGENT_ACTOR, hold }
  const revisionId = await saveChange(change).catch(toInvalid)
  if (revisionId === undefined || typeof revisionId === 'object') return revisionId
  const notes = results.flatMap((result) => (result.type === 'not_parsed' ? [result.note] : []))
  const parsed = notes.length < results.length ? 'static' : 'not_run'
  return { validation: built.passed ?? parsed, notes: [...notes, ...built.notes], revisionId }
}

/** Returns the columns of a proposal that the validation of its change decides. */
export function resultColumns(change: ValidatedChange) {
  if ('invalid' in change) {
    const nothing = { revision_id: null, validation: null, validation_notes: [] }
    return { status: 'invalid' as const, ...nothing, invalid_reason: change.invalid }
  }
  const { revisionId: revision_id, validation, notes } = change
  return { status: 'ready' as const, revision_id, validation, validation_notes: [...notes], invalid_reason: null }
}

/** Refusals such as a full store are for people to read. */
function toInvalid(error: unknown): { invalid: string } {
  if (error instanceof ServiceError) return { invalid: error.message }
  throw error
}

const MAX_MESSAGE = 500

const REASONS = {
  no_such_file: 'the file is not in the live revision, or is no text',
  not_found: 'the text to replace is not in the file',
  ambiguous: 'the text to replace occurs more than once in the file',
  no_change: 'it changes nothing',
} as const

function toReason({ index, fault }: { index: number; fault: keyof typeof REASONS }, edits: readonly Edit[]): string {
  const edit = edits[index]
  return edit ? `Edit ${index + 1} of ${edit.path} does not apply: ${REASONS[fault]}.` : 'There are no edits.'
}
