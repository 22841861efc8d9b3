export type LogLine = { readonly at: Date; readonly level: string; readonly text: string }

/** Lines of one trace are written together. */
const MAX_APART_MS = 1_000
/** A trace that is longer says nothing more about the kind of fault. */
const MAX_CHARACTERS = 8_000

/** `file:///app/main.js:3`, which Node writes above the source of an error that ends the app. */
const PLACE_ALONE = /^\S{1,300}:\d{1,7}$/
const PYTHON_TRACE = 'Traceback (most recent call last):'

/**
 * Joins lines that were printed as one message, such as an error and its stack trace. The message of a trace of Python
 * stands below it, and is put above it here. Lines that only show where Node ended are left out.
 */
export function joinTraces(lines: readonly LogLine[]): LogLine[] {
  const entries: LogLine[] = []
  let open: { head: LogLine; texts: string[]; size: number } | undefined
  const close = () => {
    if (open && !PLACE_ALONE.test(open.head.text)) entries.push({ ...open.head, text: open.texts.join('\n') })
    open = undefined
  }
  for (const line of lines) {
    const { at, text } = line
    // A line of JSON is complete, so nothing is added to it.
    const isNear = open !== undefined && at.getTime() - open.head.at.getTime() <= MAX_APART_MS && !isJson(open.head)
    if (isNear && open!.texts[0] === PYTHON_TRACE && !isIndented(text)) {
      open = { ...open!, texts: [text, ...open!.texts] }
    } else if (isNear && isContinued(text)) {
      open!.size += text.length
      if (open!.size <= MAX_CHARACTERS) open!.texts.push(text)
    } else if (!isPartOfTrace(text)) {
      close()
      open = { head: line, texts: [text], size: text.length }
    }
  }
  close()
  return entries
}

function isJson({ text }: LogLine): boolean {
  return text.startsWith('{')
}

function isContinued(text: string): boolean {
  return isPartOfTrace(text) || (isIndented(text) && !/^\s{1,40}\[?(?:error|warn|info|debug|trace|fatal)\b/i.test(text))
}

/** Matches a log line that continues the one above it. */
function isPartOfTrace(text: string): boolean {
  return (
    text === '' ||
    text === '}' ||
    /^(?:\s{1,16}at |\s{1,16}File "|\s{0,300}[\^~]+$|Caused by: |Node\.js v\d)/.test(text)
  )
}

function isIndented(text: string): boolean {
  return text.startsWith('\t') || text.startsWith('  ')
}
