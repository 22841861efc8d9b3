/** Lines that only stand below a message: frames, marks and the ends of traces of common languages. */
const PARTS: readonly RegExp[] = [
  /^(?:\s{1,16}at |\s{1,16}File "|\s{0,300}[\^~]+$|Caused by: |Node\.js v\d)/,
  // .NET: the exception within another one.
  /^ {1,8}---(?:>| End of )/,
  // PHP
  /^(?:#\d{1,3} |Stack trace:$|\[stacktrace\]$|\[previous exception\]|"\}\s*$| {2}thrown in )/,
  // Ruby, with or without the tags of the request before the frame.
  /^(?:\[[\w-]{1,60}\] )?\s{0,8}(?:from )?[\w./-]{1,200}\.(?:rb|erb|rake):\d{1,7}:in [`']/,
  // Python: one exception after another.
  /^(?:During handling of the above exception|The above exception was the direct cause)/,
  // Rust
  /^(?:note: run with `RUST_BACKTRACE|stack backtrace:$)/,
]

/** Lines of Elixir about the process that ended. Each may also begin a message. */
const REPORT = /^(?:\*\* \(|Server: |Request: |State: |Last message)/

/** Matches a line that continues the one above it if there is one. */
export function isContinued(text: string): boolean {
  return isPartOfTrace(text) || REPORT.test(text) || (isIndented(text) && !INDENTED_LEVEL.test(text))
}

const INDENTED_LEVEL = /^\s{1,40}\[?(?:error|warn|info|debug|trace|fatal)\b/i

/** Matches a log line that has no meaning without the one above it. */
export function isPartOfTrace(text: string): boolean {
  return text === '' || text === '}' || PARTS.some((part) => part.test(text))
}

export function isIndented(text: string): boolean {
  return text.startsWith('\t') || text.startsWith('  ')
}

const GO_PANIC = /^(?:panic: |fatal error: )/
const GO_TRACE = /^(?:goroutine \d|created by |exit status \d|\[signal |[\w./*()$-]{1,200}\([^\n]{0,200}\)$)/

/** Matches lines below those of a panic: the goroutines of Go, and the message of Rust below its first line. */
export function isRestOfPanic([head = '', ...rest]: readonly string[], text: string): boolean {
  if (GO_PANIC.test(head)) return GO_TRACE.test(text)
  return rest.length === 0 && / panicked at \S{1,300}:$/.test(head)
}
