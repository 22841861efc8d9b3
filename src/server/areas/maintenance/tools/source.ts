import { listLiveFiles, readSourceFile, searchSource } from '#contract/maintenance/tools.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Redactor } from '#lib/redact/redact.ts'
import type { AppSource } from '#ports/apps.ts'
import { MAX_TEXT_BYTES, readTextFile, refused, textOf } from '../edits/text-file.ts'
import type { MaintenanceDeps } from '../model/deps.ts'
import { MAX_ANSWER_CHARACTERS, takeFitting } from './bounds.ts'
import { type CallingRun, requireRun } from './calling-run.ts'
import { recordEvidence } from './evidence-store.ts'

const MAX_FILES = 5_000
const MAX_MATCHES = 100
const MAX_MATCH_CHARACTERS = 300
const MAX_SEARCHED_BYTES = 16 * 1024 * 1024

export function sourceRoutes({ db, source, redactorOf }: MaintenanceDeps): Route[] {
  return [
    route(listLiveFiles, async (_, { principal }) => {
      const run = await requireRun(db, principal)
      const files = (run.revision_id && (await source.files(run.app_id, run.revision_id))) || []
      const data = {
        revision_id: run.revision_id,
        files: files.slice(0, MAX_FILES).map(({ path, size }) => ({ path, size })),
      }
      const reference = run.revision_id ? `files of ${run.revision_id}` : 'no live revision'
      return { evidence_id: await recordEvidence(db, run, { kind: 'source', reference, data }), ...data }
    }),
    route(readSourceFile, async ({ path, from_line, to_line }, { principal }) => {
      const run = await requireRun(db, principal)
      const text = await readTextFile(source, run, path)
      const lines = (await (await redactorOf(run.app_id)).text(text)).split('\n')
      if (from_line > lines.length) throw refused(`The file has ${lines.length} lines.`)
      const last = Math.max(from_line, to_line ?? lines.length)
      const data = { path, ...cutLines(lines, from_line, last), total_lines: lines.length }
      const reference = `${path}, lines ${data.from_line} to ${data.to_line}`
      return { evidence_id: await recordEvidence(db, run, { kind: 'source', reference, data }), ...data }
    }),
    route(searchSource, async ({ literal }, { principal }) => {
      const run = await requireRun(db, principal)
      const redactor = await redactorOf(run.app_id)
      const { matches, isComplete } = await findMatches({ source, redactor }, run, literal)
      const { taken, isAll } = takeFitting(matches)
      const data = { matches: taken, is_complete: isAll && isComplete }
      const reference = `files with ${JSON.stringify(await redactor.text(literal))}`
      return { evidence_id: await recordEvidence(db, run, { kind: 'source', reference, data }), ...data }
    }),
  ]
}

/** Takes lines while they fit into an answer, and a part of the first one if it alone does not. */
function cutLines(lines: readonly string[], fromLine: number, toLine: number) {
  const taken: string[] = []
  let characters = 0
  for (const line of lines.slice(fromLine - 1, toLine)) {
    characters += line.length + 1
    if (characters > MAX_ANSWER_CHARACTERS) break
    taken.push(line)
  }
  const text = taken.length > 0 ? taken.join('\n') : lines[fromLine - 1]!.slice(0, MAX_ANSWER_CHARACTERS).toWellFormed()
  const to_line = fromLine + Math.max(taken.length, 1) - 1
  return { from_line: fromLine, to_line, text, is_complete: characters <= MAX_ANSWER_CHARACTERS }
}

type Match = { readonly path: string; readonly line: number; readonly text: string }

/** Searches the text as it is shown, so that a search cannot find out letters of a secret. */
type Searched = { readonly source: AppSource; readonly redactor: Redactor }

async function findMatches({ source, redactor }: Searched, { org_id, revision_id }: CallingRun, literal: string) {
  const matches: Match[] = []
  const needle = literal.toLowerCase()
  let bytes = 0
  if (revision_id === null) return { matches, isComplete: true }
  for await (const { path, content } of source.readAll(org_id, revision_id, MAX_TEXT_BYTES)) {
    bytes += content.byteLength
    if (bytes > MAX_SEARCHED_BYTES) return { matches, isComplete: false }
    const text = textOf(content)
    // Hiding secrets takes long, so only files that may have a match are searched that way.
    if (!text?.toLowerCase().includes(needle)) continue
    for (const [index, line] of (await redactor.text(text)).split('\n').entries()) {
      if (!line.toLowerCase().includes(needle)) continue
      if (matches.length === MAX_MATCHES) return { matches, isComplete: false }
      matches.push({ path, line: index + 1, text: line.trim().slice(0, MAX_MATCH_CHARACTERS).toWellFormed() })
    }
  }
  return { matches, isComplete: true }
}
