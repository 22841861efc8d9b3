import { stageEdit } from '#contract/maintenance/tools.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Range } from '#lib/redact/ranges.ts'
import type { Redactor } from '#lib/redact/redact.ts'
import type { DiffAppTexts } from '#ports/app-changes.ts'
import type { AppSource } from '#ports/apps.ts'
import { holdRun } from '../claims/held.ts'
import { applyEdits, type Edit } from '../edits/apply-edits.ts'
import { findCapFault } from '../edits/caps.ts'
import { findProtection } from '../edits/protected-paths.ts'
import { insertEdit, listEdits } from '../edits/store.ts'
import { findAddedPathFault } from '../edits/test-paths.ts'
import { readTextFile, refused } from '../edits/text-file.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { findUnshownText } from '../proposals/validate/unshown.ts'
import { type CallingRun, requireRun } from './calling-run.ts'

/** Each caller of this tool is one run, which calls its tools one after another. */
export function stageRoute({ db, source, redactorOf, diffTexts }: MaintenanceDeps): Route {
  return route(stageEdit, async (given, { principal }) => {
    const run = await requireRun(db, principal)
    const edit = { path: given.path, old_text: given.old, new_text: given.new }
    const earlier = await listEdits(db, run.id)
    const redactor = await redactorOf(run.app_id)
    const fault = await findFault({ source, redactor, diffTexts }, run, earlier, edit)
    if (fault !== undefined) throw refused(fault)
    return db.tx(async (tx) => {
      if (!(await holdRun(tx, run))) throw invalidToken()
      const staged = await insertEdit(tx, run.id, edit)
      return { staged, files: [...new Set([...earlier, edit].map(({ path }) => path))] }
    })
  })
}

const FAULTS = {
  no_such_file: 'An added file must not be empty.',
  not_found:
    'The old text is not in the file as the edits before leave it. Text that is shown as [redacted] cannot be edited.',
  ambiguous: 'The old text occurs more than once in the file. Include lines around it, so that it occurs once.',
  no_change: 'The edit changes nothing.',
} as const

type Deps = { readonly source: AppSource; readonly redactor: Redactor; readonly diffTexts: DiffAppTexts }

/** Returns why an edit cannot be staged after the earlier ones, or undefined if it can. */
async function findFault(
  deps: Deps,
  run: CallingRun,
  earlier: readonly Edit[],
  edit: Edit,
): Promise<string | undefined> {
  const ofSameFile = earlier.filter(({ path }) => path === edit.path)
  const isAdded = (ofSameFile[0] ?? edit).old_text === ''
  const pathFault = isAdded ? await findAddFault(deps.source, run, edit.path) : undefined
  if (pathFault !== undefined) return pathFault
  const text = isAdded ? undefined : await readTextFile(deps.source, run, edit.path)
  const protection = findProtection(edit.path)
  if (protection !== undefined) return `This file is ${protection}, which the agent may not change.`
  const capFault = findCapFault([...earlier, edit])
  if (capFault !== undefined) return capFault
  return findTextFault(deps, text, ofSameFile, edit)
}

async function findAddFault(source: AppSource, { app_id, revision_id }: CallingRun, path: string) {
  const files = revision_id === null ? undefined : await source.files(app_id, revision_id)
  const exists = files?.some((file) => file.path === path)
  return exists ? 'The file exists, so old must be a text of it that occurs once.' : findAddedPathFault(path)
}

/** `text` is undefined for a file that the edits add. */
async function findTextFault(
  { redactor, diffTexts }: Deps,
  text: string | undefined,
  earlier: readonly Edit[],
  edit: Edit,
): Promise<string | undefined> {
  const { path, old_text } = edit
  const textBefore = earlier.length === 0 ? text : textAfter(path, text, earlier)
  const before = textBefore ?? ''
  const secrets = await redactor.find(before)
  // The same answer as for a text that is not there: otherwise guesses would reveal a secret letter by letter.
  if (!isShown(before, old_text, secrets)) return FAULTS.not_found
  const applied = applyEdits(toTexts(path, textBefore), [edit])
  if ('fault' in applied) return FAULTS[applied.fault]
  const after = applied.texts.get(path)!
  // Compared with the file as it is live, because that is the diff which people read.
  const unshown = after === text ? undefined : await findUnshownText(diffTexts, toTexts(path, text), applied.texts)
  if (unshown !== undefined) return unshown
  const secretsBefore = new Set(secrets.map(([start, end]) => before.slice(start, end)))
  const isNew = (await redactor.find(after)).some(([start, end]) => !secretsBefore.has(after.slice(start, end)))
  return isNew ? 'The new text has something that looks like a secret or an e-mail address.' : undefined
}

/** Whether a part of a text occurs in it without touching a secret. */
function isShown(text: string, part: string, secrets: readonly Range[]): boolean {
  let next = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, secrets[next]![1])) {
    while (next < secrets.length && secrets[next]![1] <= at) next++
    if (next === secrets.length || secrets[next]![0] >= at + part.length) return true
  }
  return false
}

function toTexts(path: string, text: string | undefined): Map<string, string> {
  return new Map(text === undefined ? [] : [[path, text]])
}

function textAfter(path: string, text: string | undefined, edits: readonly Edit[]): string | undefined {
  const applied = applyEdits(toTexts(path, text), edits)
  // Staged edits that together change nothing are no fault of the next one.
  return 'texts' in applied ? applied.texts.get(path)! : text
}
