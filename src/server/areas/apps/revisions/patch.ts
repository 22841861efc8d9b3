import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

/**
 * Texts that differ by more lines, added and removed, are not compared: the work grows by the square of this number and
 * runs on the thread that answers requests. A limit of time would give up small changes on a busy machine.
 */
const MAX_CHANGED_LINES = 1_000
/** A file with NUL among its first bytes is binary, as git decides it. */
const BINARY_PROBE_BYTES = 8000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

type Sides = { readonly before: Buffer | undefined; readonly after: Buffer | undefined }

/** Returns a unified diff, or why there is none. */
export function toPatch(path: string, { before, after }: Sides): { patch: string } | 'binary' | 'too_different' {
  const oldText = before ? textOf(before) : ''
  const newText = after ? textOf(after) : ''
  if (oldText === null || newText === null) return 'binary'
  const oldName = before ? `a/${path}` : '/dev/null'
  const newName = after ? `b/${path}` : '/dev/null'
  if (oldText === '') return { patch: `--- ${oldName}\n+++ ${newName}\n${wholeHunk('+', newText)}` }
  if (newText === '') return { patch: `--- ${oldName}\n+++ ${newName}\n${wholeHunk('-', oldText)}` }
  const options = { context: 3, maxEditLength: MAX_CHANGED_LINES, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(oldName, newName, oldText, newText, undefined, undefined, options)
  return patch === undefined ? 'too_different' : { patch }
}

/** Makes the hunk of a text that was added or removed whole, for which the search of the library is needlessly slow. */
function wholeHunk(sign: '+' | '-', text: string): string {
  if (text === '') return ''
  const hasLastEnd = text.endsWith('\n')
  const lines = (hasLastEnd ? text.slice(0, -1) : text).split('\n')
  const range = sign === '+' ? `-0,0 +1,${lines.length}` : `-1,${lines.length} +0,0`
  const body = lines.map((line) => `${sign}${line}\n`).join('')
  return `@@ ${range} @@\n${body}${hasLastEnd ? '' : '\\ No newline at end of file\n'}`
}

function textOf(content: Buffer): string | null {
  if (content.subarray(0, BINARY_PROBE_BYTES).includes(0)) return null
  try {
    return utf8.decode(content)
  } catch {
    return null
  }
}
