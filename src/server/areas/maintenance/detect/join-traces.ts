import { statedLevel } from '#lib/log/stated-level.ts'
import { isExceptionLine } from './exception-line.ts'
import { isContinued, isIndented, isPartOfTrace, isRestOfPanic } from './trace-line.ts'

export type LogLine = {
  readonly at: Date
  readonly level: string
  readonly text: string
  /** The revision that wrote it, if that is stated. */
  readonly revisionId?: string | null
}

/** Lines of one trace are written together. */
const MAX_APART_MS = 1_000
/** A trace that is longer says nothing more about the kind of fault. */
const MAX_CHARACTERS = 8_000

/** `file:///app/main.js:3`, which Node writes above the source of an error that ends the app. */
const PLACE_ALONE = /^\S{1,300}:\d{1,7}$/
const PYTHON_TRACE = 'Traceback (most recent call last):'

type OpenEntry = { readonly head: LogLine; texts: string[]; size: number; awaitsMessage: boolean }

/**
 * Joins lines that were printed as one message, such as an error and its stack trace. The message of a trace of Python
 * stands below it, and is put above it here. An exception below a line that a logger wrote about a failure belongs to that
 * line, whose level counts. Lines that only show where Node ended are left out.
 */
export function joinTraces(lines: readonly LogLine[]): LogLine[] {
  const entries: LogLine[] = []
  let open: OpenEntry | undefined
  const close = () => {
    if (open && !PLACE_ALONE.test(open.head.text)) entries.push({ ...open.head, text: open.texts.join('\n') })
    open = undefined
  }
  for (const line of lines) {
    if (open && isNear(open, line) && add(open, line.text)) continue
    if (isPartOfTrace(line.text)) continue
    close()
    const { text } = line
    open = { head: line, texts: [text], size: text.length, awaitsMessage: text === PYTHON_TRACE }
  }
  close()
  return entries
}

/** A line of JSON is complete, so nothing is added to it. Two revisions can write at once while one replaces the other. */
function isNear({ head }: OpenEntry, { at, revisionId }: LogLine): boolean {
  if (head.revisionId !== revisionId) return false
  return at.getTime() - head.at.getTime() <= MAX_APART_MS && !head.text.startsWith('{')
}

/** Adds the line to the entry. Returns false if it does not belong to it. */
function add(open: OpenEntry, text: string): boolean {
  if (open.awaitsMessage && !isIndented(text) && text !== '') {
    open.texts.splice(open.texts.indexOf(PYTHON_TRACE), 0, text)
    open.awaitsMessage = false
    return true
  }
  const beginsTrace = text === PYTHON_TRACE
  if (beginsTrace || (isExceptionLine(text) && open.texts.slice(1).every((one) => one === ''))) {
    const isSecond = beginsTrace && open.texts.includes(PYTHON_TRACE)
    if (!isSecond && !isLoggedFault(open.head)) return false
    open.awaitsMessage = beginsTrace
  } else if (!isContinued(text) && !isRestOfPanic(open.texts, text)) return false
  open.size += text.length
  if (open.size <= MAX_CHARACTERS || beginsTrace) open.texts.push(text)
  return true
}

/** A line of another level is one only if it speaks of a failure, such as that a task is tried again. */
function isLoggedFault({ text }: LogLine): boolean {
  const level = statedLevel(text)
  if (level === undefined) return false
  return level === 'warn' || level === 'error' || /\bretry|\bfail|error|exception|\babort/i.test(text.slice(0, 1_000))
}
