import type { FakeReply } from '#test/outside/fake-chat.ts'
import { type FirstEvidence, readConversation, type ToolResults } from './conversation.ts'
import { FIXES, type Fix } from './fixes.ts'

type Call = { readonly name: string; readonly input: object }

const MAX_CALLS = 6
/** A suspicion of its own needs an error in so large a part of the lines. */
const MIN_SHARE = 1 / 20
const MIN_REPEATS = 3

/**
 * Answers as a competent model would. It knows neither the pair nor which twin it looks at: it searches the log for what
 * the first evidence shows, reads the source, and reports a fault only if lines that a tool returned show it. It proposes
 * a repair only if it has read the code that the repair changes.
 */
export function answerAsModel(body: Record<string, unknown>): FakeReply {
  const { first, results } = readConversation(body)
  if (results.count === 0) return answer(looksFor(first))
  const fault = findFault(first, results)
  if (!fault) return answer([{ name: 'finish', input: { verdict: 'nothing' } }])
  const fix = findFix(fault, results)
  if (fix && results.staged === 0) {
    return answer([{ name: 'stage_edit', input: { path: fix.path, old: fix.old, new: fix.new } }])
  }
  return answer([{ name: 'finish', input: conclude(fault, fix, results) }])
}

function answer(calls: readonly Call[]): FakeReply {
  return {
    toolCalls: calls.map(({ name, input }, n) => ({ id: `${name}_${n}`, name, arguments: JSON.stringify(input) })),
  }
}

function looksFor({ clusters, files, checks, detected }: FirstEvidence): Call[] {
  const cited = detected.flatMap(({ lines }) => lines.slice(-1).map(({ text }) => literalOf(text)))
  const errors = clusters.filter(isOften).map(({ template }) => literalOf(template))
  const literals = [...new Set([...cited, ...errors])].filter((literal) => literal.length > 1).slice(0, 2)
  const searches = (literals.length > 0 ? literals : ['error']).map((literal) => ({
    name: 'search_logs',
    input: { literal, hours: 168, limit: 200 },
  }))
  const histories = checks.slice(0, 1).map((name) => ({ name: 'check_history', input: { name } }))
  const sources = files.filter((path) => path !== 'README.md').map((path) => ({ name: 'read_file', input: { path } }))
  return [...searches, ...histories, ...sources].slice(0, MAX_CALLS)
}

/** The longest part of a line that does not differ from one line to the next. */
function literalOf(text: string): string {
  const parts = text.split(/[\d<>"'{}\\⨯]+|\s{2,}|\n/).map((part) => part.trim().slice(0, 100))
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

type Fault = { readonly kind: string; readonly lines: ToolResults['lines'] }

/** A fault of the fixed rules counts if the log or the history of the check confirms it. */
function findFault(first: FirstEvidence, results: ToolResults): Fault | undefined {
  for (const { kind, lines } of first.detected) {
    const cited = new Set(lines.map(({ text }) => text.split('\n', 1)[0]!.slice(0, 150)))
    const confirmed = results.lines.filter(({ text }) => cited.has(text.split('\n', 1)[0]!.slice(0, 150)))
    const failures = Math.max(0, ...results.failures.values())
    if (confirmed.length > 0 || (kind === 'flapping_check' && failures >= MIN_REPEATS))
      return { kind, lines: confirmed }
  }
  const total = first.clusters.reduce((sum, { count }) => sum + count, 0)
  const own = first.clusters.find((cluster) => isOften(cluster) && cluster.count >= total * MIN_SHARE)
  const lines = results.lines.filter(({ template }) => template === own?.template)
  return lines.length >= MIN_REPEATS ? { kind: 'error_in_logs', lines } : undefined
}

function isOften({ level, count }: FirstEvidence['clusters'][number]): boolean {
  return level === 'error' && count >= MIN_REPEATS
}

function findFix({ lines }: Fault, { files }: ToolResults): Fix | undefined {
  return FIXES.find(({ because, path, old, needs }) => {
    const isShown = lines.some(({ text }) => because.test(text))
    const hasNeed = needs === undefined || files.get(needs.path)?.text.includes(needs.text) === true
    return isShown && hasNeed && files.get(path)?.text.split(old).length === 2
  })
}

/** Kinds that a model can report. It leaves the others to the fixed rules unless it has a repair. */
const REPORTED: Record<string, string> = {
  error_in_code: 'error_in_code',
  error_in_logs: 'error_in_logs',
  dependency: 'dependency',
  dependency_timeout: 'dependency',
}

function conclude({ kind, lines }: Fault, fix: Fix | undefined, { files }: ToolResults): object {
  const reported = REPORTED[kind] ?? (fix ? 'defect' : undefined)
  const [line] = lines
  if (!line || reported === undefined) return { verdict: 'nothing' }
  const finding = { kind: reported, template: line.template, summary: `${kind}: ${line.text.slice(0, 200)}` }
  if (!fix) return { verdict: 'finding', ...finding, evidence: [line.evidence] }
  return { verdict: 'change', ...finding, path: fix.path, evidence: [line.evidence, files.get(fix.path)!.evidence] }
}
