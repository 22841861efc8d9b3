import type { TerminalCode } from '#contract/maintenance/outcomes.ts'
import { type Detected, type JudgedFinding, placeIn } from '../detect/detectors.ts'
import { isTestPath } from '../edits/test-paths.ts'
import { type Fact, joinFacts } from './facts.ts'
import type { Finish } from './finish.ts'
import { isVisible } from './summary.ts'

/** Everything a run has learned when its model ends it. */
export type RunKnowledge = {
  /** By evidence id: the answers that tools gave in this run. */
  readonly facts: ReadonlyMap<number, Fact>
  /** Paths of the files of the revision. */
  readonly files: readonly string[]
  readonly detected: readonly Detected[]
  readonly stagedEdits: number
  /** Paths of the files that the staged edits change. */
  readonly stagedFiles: readonly string[]
}

export type Judged =
  | { readonly verdict: 'nothing' }
  | { readonly verdict: 'finding'; readonly finding: JudgedFinding }
  /** `test` is the path of a staged test file, or null. */
  | { readonly verdict: 'change'; readonly finding: JudgedFinding; readonly test: string | null }
  | { readonly fault: Extract<TerminalCode, 'bad_final' | 'invented_evidence'>; readonly message: string }

/** Decides whether the final answer of a model holds: what it cites must exist and say what is claimed. */
export function judgeFinish(finish: Finish, knowledge: RunKnowledge): Judged {
  const { verdict, kind, summary, evidence } = finish
  if (verdict === 'nothing') return { verdict }
  if (!kind || !summary || !isVisible(summary) || !evidence || evidence.length === 0) {
    return badFinal('A finding needs kind, summary and evidence.')
  }
  if (verdict === 'change' && knowledge.stagedEdits === 0) {
    return badFinal('No edit is staged. Stage one, or use the verdict finding.')
  }
  const test = finish.test || null
  if (verdict === 'change' && test !== null && !(knowledge.stagedFiles.includes(test) && isTestPath(test))) {
    return badFinal('test must be the path of a test file that you staged. Leave it out if no test shows the fault.')
  }
  const invented = evidence.filter((id) => !knowledge.facts.has(id))
  if (invented.length > 0) return inventedEvidence(`No answer had the evidence_id ${invented.join(', ')}.`)
  const cited = joinFacts(evidence.map((id) => knowledge.facts.get(id)!))
  const place = kind === 'failing_check' ? judgeCheck(finish, cited) : judgePlace({ ...finish, kind }, cited, knowledge)
  if ('fault' in place) return place
  const finding = { ...place.shown, summary, identity: place.identity }
  return verdict === 'change' ? { verdict, finding, test } : { verdict, finding }
}

type Identity = Omit<Detected, 'summary'>
type Place = { readonly shown: Identity; readonly identity: Identity }
type Fault = Extract<Judged, { fault: unknown }>

function badFinal(message: string): Fault {
  return { fault: 'bad_final', message }
}

function inventedEvidence(message: string): Fault {
  return { fault: 'invented_evidence', message }
}

/** Named as the detectors name it, so that both have one fingerprint. The file is shown and is no part of it. */
function judgeCheck({ check, path }: Finish, cited: Fact): Place | Fault {
  if (!check || !cited.failingChecks.has(check)) {
    return inventedEvidence('The cited evidence does not say that this check fails.')
  }
  const identity: Identity = { kind: 'failing_check', path: null, symbol: null, template: `check ${check}` }
  return { identity, shown: { ...identity, path: path && cited.texts.has(path) ? path : null } }
}

const OF_FORMER_REVISION =
  'Only a revision that is not live wrote lines with this template. Report a fault of the live revision, or nothing.'

function judgePlace(finish: Finish & { kind: Detected['kind'] }, cited: Fact, knowledge: RunKnowledge): Place | Fault {
  const template = finish.template?.trim() || null
  if (template !== null && !cited.templates.has(template)) {
    if (cited.formerTemplates.has(template)) return badFinal(OF_FORMER_REVISION)
    return inventedEvidence('The cited evidence has no log line with this template. Copy it exactly.')
  }
  const framed = template === null ? [] : placesOf(cited.templates.get(template)!, knowledge.files)
  const path = finish.path || null
  if (path !== null && !knowledge.files.includes(path))
    return inventedEvidence('The revision has no file of this path.')
  if (path !== null && !cited.texts.has(path) && !framed.some((place) => place.path === path)) {
    return inventedEvidence('The path is neither a file that the cited evidence shows nor in a cited stack trace.')
  }
  if (path === null && template === null) return badFinal('A finding needs a path or a template.')
  const symbol = symbolOf(finish, path, cited, framed)
  const shown: Identity = { kind: finish.kind, path, symbol, template: template ?? '' }
  const detected = knowledge.detected.find((one) => template !== null && isAbout(one, template))
  return { shown, identity: detected ?? shown }
}

function isAbout({ template, covers = [] }: Detected, cited: string): boolean {
  return template === cited || covers.includes(cited)
}

type FramePlace = { readonly path: string; readonly symbol: string | null }

function placesOf(frames: readonly FramePlace[], files: readonly string[]): FramePlace[] {
  return frames.flatMap(({ path, symbol }) => placeIn(files, path, symbol))
}

/** The function that a stack trace names, or else the model's if the file has that word. */
function symbolOf({ symbol }: Finish, path: string | null, cited: Fact, framed: readonly FramePlace[]): string | null {
  const fromFrame = framed.find((place) => place.path === path)?.symbol
  if (fromFrame) return fromFrame
  const isWord = symbol && /^[\w$.#]{1,100}$/.test(symbol)
  return isWord && path !== null && cited.texts.get(path)?.includes(symbol) ? symbol : null
}
