import { readConversation } from './conversation.js'
import { correct } from './correct.js'

const ONLY_MAINTENANCE = 'This is the example model of svc. It answers the maintenance agent only.'

/** Returns the next answer: a text, or calls of tools as pairs of a name and its input. */
export function decide({ messages, tools = [], tool_choice }) {
  const isMaintenance = tools.some(({ function: { name } }) => name === 'stage_edit')
  if (!isMaintenance) return { text: ONLY_MAINTENANCE }
  const seen = readConversation(messages)
  // svc refused the last answer of the model, which may correct it once. This one has nothing better to say.
  if (seen.hasFinished) return { calls: [['finish', { verdict: 'nothing' }]] }
  const fault = findFault(seen)
  if (!fault) return { calls: [['finish', { verdict: 'nothing' }]] }
  const calls = stepsFor(fault, seen)
  const mustFinish = tool_choice?.function?.name === 'finish' && calls[0][0] !== 'finish'
  return { calls: mustFinish ? end(fault, 'finding', '', [seen.logs.evidence_id]) : calls }
}

function end(fault, verdict, explanation, evidence) {
  const { count: _, ...identity } = fault
  const summary = [titleOf(fault), explanation].filter(Boolean).join('. ')
  return [['finish', { verdict, kind: 'error_in_code', ...identity, summary, evidence }]]
}

/** The title that the detectors give such an error. The summary of a model takes its place, so it begins with it. */
function titleOf({ template, path, symbol, count }) {
  const where = symbol === null ? path : `${symbol} in ${path}`
  return `An error in ${where} was logged ${count === 1 ? 'once' : `${count} times`}: ${template}`
}

/** The first logged error whose stack trace leads into a file of the app. */
function findFault({ logs, files }) {
  for (const { level, template, frames, count } of logs?.untrusted_data.clusters ?? []) {
    const frame = level === 'error' && frames.find(({ path }) => fileOf(files, path) !== undefined)
    if (frame) return { template, path: fileOf(files, frame.path), symbol: frame.symbol, count }
  }
  return undefined
}

/** Paths in traces are absolute, and those of the revision are not. */
function fileOf(files, path) {
  return files.find((file) => path === file || path.endsWith(`/${file}`))
}

/** Reads the file, stages a correction if there is one, and ends with what became of that. */
function stepsFor(fault, { logs, resultOf }) {
  const file = resultOf('read_file')
  if (!file) {
    return [
      ['read_file', { path: fault.path }],
      ['recent_findings', {}],
    ]
  }
  const evidence = [logs.evidence_id, ...(file.evidence_id === undefined ? [] : [file.evidence_id])]
  const finding = (summary) => end(fault, 'finding', summary, evidence)
  if (file.error) return finding(`${fault.path} could not be read: ${file.error}`)
  if (wasDenied(fault, resultOf('recent_findings'))) return finding('A change for this fault was denied before.')
  const change = correct(file.untrusted_data.text, fault)
  if ('reason' in change) return finding(change.reason)
  const staged = resultOf('stage_edit')
  if (!staged) return [['stage_edit', { path: fault.path, ...change.edit }]]
  return staged.error
    ? finding(`Its correction was refused: ${staged.error}`)
    : end(fault, 'change', change.summary, evidence)
}

function wasDenied({ template }, recent) {
  const findings = recent?.untrusted_data?.findings ?? []
  return findings.some((finding) => finding.was_denied && finding.template === template)
}
