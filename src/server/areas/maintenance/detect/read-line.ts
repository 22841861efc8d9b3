import { isRecord, tryParseObject } from '#lib/json.ts'

/** One place in the code that a stack trace names. */
export type Frame = { readonly path: string; readonly symbol: string | null }

const MESSAGE_KEYS = ['message', 'msg', 'error', 'err', 'exception'] as const
const STACK_KEYS = ['stack', 'stack_trace', 'exception.stacktrace'] as const
const MAX_FRAMES = 20
/** Lines that loggers write are far shorter; the rest of a longer one says nothing more about the kind of fault. */
const MAX_CHARACTERS = 8_000

/** Returns the message of a log line, and the places in the code it comes from if it has a stack trace. */
export function readLine(text: string) {
  // A line break within a line is stored as U+FFFD.
  const whole = text.slice(0, MAX_CHARACTERS).replace(/\ufffd(?=\s)/g, '\n')
  const { message, stack } = textsOf(whole)
  return { message: withoutFrames(message), frames: framesIn(`${message}\n${stack}`) }
}

function textsOf(text: string): { message: string; stack: string } {
  const fields = text.startsWith('{') ? tryParseObject(text) : undefined
  if (!fields) return { message: logfmtMessage(text) ?? text, stack: '' }
  const nested = Object.values(fields).filter(isRecord)
  const messages = [firstText([fields], MESSAGE_KEYS), firstText(nested, MESSAGE_KEYS)].filter(
    (one) => one !== undefined,
  )
  return {
    message: messages.length === 0 ? text : messages.join(': '),
    stack: firstText([fields, ...nested], STACK_KEYS) ?? '',
  }
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

function firstText(objects: readonly Readonly<Record<string, unknown>>[], keys: readonly string[]): string | undefined {
  for (const key of keys) {
    for (const fields of objects) {
      const value = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (typeof value === 'string' && value !== '') return value
    }
  }
  return undefined
}

/** `at symbol (path:1:2)` and `at path:1:2` of JavaScript, and `File "path", line 1, in symbol` of Python. */
const JAVASCRIPT_FRAME =
  /\bat (?:async )?(?:(?<symbol>[\w.$<>[\]]{1,100}) (?:\[as \w{1,100}\] )?\()?(?<path>[^\s():]{1,300}):\d{1,7}(?::\d{1,7})?\)?/g
const PYTHON_FRAME = /File "(?<path>[^"\n]{1,300})", line \d{1,7}(?:, in (?<symbol>[\w<>]{1,100}))?/g

function framesIn(text: string): Frame[] {
  // A file URL has a colon of its own, which would end the path.
  const plain = text.replaceAll('file://', '')
  const inPython = [...plain.matchAll(PYTHON_FRAME)].map(toFrame).toReversed()
  return [...[...plain.matchAll(JAVASCRIPT_FRAME)].map(toFrame), ...inPython].slice(0, MAX_FRAMES)
}

function toFrame({ groups }: RegExpMatchArray): Frame {
  return { path: groups!.path!, symbol: groups!.symbol ?? null }
}

/** The message before its first frame. The blanks are bounded, because `\s+` takes quadratic time on a line of blanks. */
function withoutFrames(message: string): string {
  const begin = message.search(
    /\s{1,8}at (?:async )?(?:[\w.$<>[\]]{1,100} (?:\[as \w{1,100}\] )?\()?(?:file:\/\/)?[^\s():]{1,300}:\d/,
  )
  const head = begin > 0 ? message.slice(0, begin) : message
  return head.split('\n', 1)[0]!.trim()
}
