import { ServiceError } from '#contract/core/errors.ts'
import type { Tx } from '#lib/db/db.ts'
import type { AppRevision, DiffAppTexts, SaveAppChange } from '#ports/app-changes.ts'
import type { AppSource, RedactorOf } from '#ports/apps.ts'
import { applyEdits, type Edit } from '../../edits/apply-edits.ts'
import { buildChange, type ChangeTrials } from './build-change.ts'
import { type ParseResult, parseChange } from './parse.ts'
import { type ProofColumn, type StoredProof, unproven } from './stored-proof.ts'
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
  /** Path of the test among the files of the edits that shows the fault. */
  readonly test?: string | null
  /** Checks in the transaction that stores the revision that the change is still wanted. */
  readonly hold: (tx: Tx) => Promise<boolean>
  /** Aborted when the change is not wanted any more. */
  readonly signal: AbortSignal
}

type WithProof = {
  /** Undefined: the change names no test. */
  readonly proof?: StoredProof
}

export type ValidatedChange =
  | (WithProof & {
      /** The strongest check that passed: `not_run` means that none could judge the change. */
      readonly validation: 'static' | 'built' | 'tested' | 'not_run'
      /** Sentences about what was not checked. */
      readonly notes: readonly string[]
      /** The revision that the edits make. */
      readonly revisionId: string
    })
  | (WithProof & { readonly invalid: string })

/** As the revisions and the audit trail name the author of the agent's changes. */
export const AGENT_ACTOR = 'maintenance agent'

/**
 * Makes the revision that the edits make of a revision, if they apply, a reviewer will see every changed byte, the
 * changed files parse and, where the operator allows it, the app still builds. Returns undefined if the change is not wanted any more.
 */
export async function validateChange(
  { source, diffTexts, saveChange, trials, redactorOf }: ChangeDeps,
  { edits, summary, test = null, hold, signal, ...revision }: Change,
): Promise<ValidatedChange | undefined> {
  const checked = await checkTexts({ source, diffTexts }, revision, edits)
  if ('invalid' in checked) return { ...checked, ...(test !== null && { proof: unproven(test, NOT_VALID) }) }
  const { texts, results } = checked
  const built = await buildChange({ trials, redactorOf }, { ...revision, texts, test, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    },
  )
  if (built === undefined) return undefined
  const proven: WithProof = built.proof ? { proof: built.proof } : {}
  if (built.type === 'invalid') return { invalid: built.reason, ...proven }
  const change = { ...revision, texts, message: summary.slice(0, MAX_MESSAGE), actor: AGENT_ACTOR, hold }
  const revisionId = await saveChange(change).catch(toInvalid)
  if (revisionId === undefined) return undefined
  if (typeof revisionId === 'object') return { ...revisionId, ...proven }
  const notes = results.flatMap((result) => (result.type === 'not_parsed' ? [result.note] : []))
  const parsed = notes.length < results.length ? 'static' : 'not_run'
  return { validation: built.passed ?? parsed, notes: [...notes, ...built.notes], revisionId, ...proven }
}

const NOT_VALID = 'the change is not valid'

type Checked = { readonly texts: ReadonlyMap<string, string>; readonly results: readonly ParseResult[] }

/** Applies the edits and judges the texts that they make, without running anything. */
async function checkTexts(
  { source, diffTexts }: Pick<ChangeDeps, 'source' | 'diffTexts'>,
  { appId, revisionId }: AppRevision,
  edits: readonly Edit[],
): Promise<Checked | { readonly invalid: string }> {
  const paths = edits.map(({ path }) => path)
  const before = await readTexts(source, appId, revisionId, paths)
  const applied = applyEdits(before, edits)
  if ('fault' in applied) return { invalid: toReason(applied, edits) }
  const { texts } = applied
  for (const path of texts.keys()) {
    // A file that is no text has no entry either, and must not be replaced by an added one.
    if (!before.has(path) && (await source.read(appId, revisionId, path))) return { invalid: existsReason(path) }
  }
  const unshown = await findUnshownText(diffTexts, before, texts)
  if (unshown !== undefined) return { invalid: unshown }
  const results: ParseResult[] = []
  for (const [path, after] of texts) results.push(await parseChange({ path, before: before.get(path), after }))
  const fault = results.find((result) => result.type === 'fault')
  return fault ? { invalid: fault.reason } : { texts, results }
}

function existsReason(path: string): string {
  return `The change adds ${path}, which the live revision has already.`
}

/** Returns the columns of a proposal that the validation of its change decides. */
export function resultColumns(change: ValidatedChange) {
  if ('invalid' in change) {
    const nothing = { revision_id: null, validation: null, validation_notes: [] }
    return { status: 'invalid' as const, ...nothing, invalid_reason: change.invalid, proof: proofColumn(change, null) }
  }
  const { revisionId: revision_id, validation, notes } = change
  const proof = proofColumn(change, revision_id)
  return {
    status: 'ready' as const,
    revision_id,
    validation,
    validation_notes: [...notes],
    invalid_reason: null,
    proof,
  }
}

/** Names the revision that it is about, because the former release makes another one without writing the proof. */
function proofColumn({ proof }: WithProof, revision_id: string | null): ProofColumn | null {
  return proof ? { ...proof, revision_id } : null
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
