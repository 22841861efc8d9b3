import { isRecord, tryParseObject } from '#lib/json.ts'
import { isExceptionLine } from './exception-line.ts'
import { framesIn } from './frames.ts'

const MESSAGE_KEYS = ['message', 'msg', 'error', 'err', 'exception'] as const
const STACK_KEYS = ['stack', 'stack_trace', 'exception.stacktrace'] as const
/** Lines that loggers write are far shorter; the rest of a longer one says nothing more about the kind of fault. */
const MAX_CHARACTERS = 8_000

/** Returns the message of a log line, and the places in the code it comes from if it has a stack trace. */
export function readLine(text: string) {
  // A line break within a line is stored as U+FFFD.
  const whole = text.slice(0, MAX_CHARACTERS).replace(/\ufffd(?=\s)/g, '\n')
  const { message, trace } = textsOf(whole)
  return { message: withoutFrames(message), frames: framesIn(trace) }
}

function textsOf(text: string): { message: string; trace: string } {
  const fields = text.startsWith('{') ? tryParseObject(text) : undefined
  if (!fields) return { message: logfmtMessage(text) ?? withSecondLine(text), trace: text }
  const nested = Object.values(fields).filter(isRecord)
  const messages = [firstText([fields], MESSAGE_KEYS), firstText(nested, MESSAGE_KEYS)].filter(
    (one) => one !== undefined,
  )
  const message = messages.length === 0 ? text : messages.join(': ')
  return { message, trace: `${message}\n${firstText([fields, ...nested], STACK_KEYS) ?? ''}` }
}

/** Returns the message and the error of a line such as `level=error msg="not sent" err="no route"`. */
function logfmtMessage(text: string): string | undefined {
  if (!/^(?:\w{1,40}=\S{1,100} ){0,5}level=\w/.test(text)) return undefined
  const values = ['msg', 'message', 'error', 'err'].flatMap((key) => {
    const found = new RegExp(`(?:^| )${key}=(?:"([^"]{1,2000})"|(\\S{1,2000}))`).exec(text)
    return found ? [found[1] ?? found[2]!] : []
  })
  return values.length === 0 ? undefined : values.join(': ')
}

/** The console logger of .NET writes the category first and the message below it. */
const DOTNET_HEAD = /^(?:trce|dbug|info|warn|fail|crit): (\S{1,200})\[\d{1,9}\]$/

/** Adds the line below the first one where the message needs it: an exception that it is about, or the text of .NET. */
function withSecondLine(text: string): string {
  const end = text.indexOf('\n')
  if (end < 0) return text
  const first = text.slice(0, end)
  const second = text
    .slice(end + 1)
    .split('\n', 1)[0]!
    .trim()
  const category = DOTNET_HEAD.exec(first)?.[1]
  if (category !== undefined) return `${category}: ${second}`
  if (/ panicked at \S{1,300}:$/.test(first)) return `panicked: ${second}`
  return isExceptionLine(second) && !isExceptionLine(first) ? `${first.trim()}: ${second}` : text
}

function firstText(objects: readonly Readonly<Record<string, unknown>>[], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    for (const fields of objects) {
      const value = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (typeof value === 'string' && value !== '') return value
    }
  }
  return undefined
}

/** The message before its first frame. The blanks are bounded, because `\s+` takes quadratic time on a line of blanks. */
function withoutFrames(message: string): string {
  const begin = message.search(
    /\s{1,8}at (?:async )?(?:[\w.$<>[\]]{1,100} (?:\[as \w{1,100}\] )?\()?(?:file:\/\/)?[^\s():]{1,300}:\d/,
  )
  const head = begin > 0 ? message.slice(0, begin) : message
  return head.split('\n', 1)[0]!.trim()
}
