import { anthropicEvents, openAiEvents } from '../outside/fake-chat.ts'
import type { ModelCall } from './knowledge.ts'
import type { Chance } from './random.ts'

export type WireKind = 'openai' | 'anthropic'

/** How a connection is answered. `endless` repeats the last part until the client leaves. */
export type WireAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly parts: readonly Uint8Array[]
  readonly end: 'end' | 'destroy' | 'endless'
}

const STREAM = { 'content-type': 'text/event-stream' }
const LIES = [
  '-1',
  '0',
  '1.5',
  '1e400',
  '"12"',
  'null',
  'true',
  '[]',
  '9007199254740991',
  '9007199254740993',
  '1e300',
  '2147483648',
]

/** Writes calls in the protocol of a provider, sometimes with ids that are wrong and counts that are not true. */
export function callsAnswer(chance: Chance, kind: WireKind, calls: readonly ModelCall[], text = ''): WireAnswer {
  const toolCalls = calls.map((call, index) => ({ ...call, id: idOf(chance, index) }))
  const usage = { input: 1_000 + chance.int(4_000), output: 1 + chance.int(500) }
  const events = (kind === 'openai' ? openAiEvents : anthropicEvents)({ toolCalls, usage, text })
  return stream(chance, chance.is(0.05) ? events.map((event) => lie(chance, event)) : events)
}

/** Ids repeat over the whole conversation, as if answers of an earlier turn were played again. */
function idOf(chance: Chance, index: number): string {
  return chance.is(0.1)
    ? chance.oneOf(['call_0', 'call_0', '__proto__', '\u202e', 'x'.repeat(3_000), 'null'])
    : `call_${index}`
}

function lie(chance: Chance, event: string): string {
  return event.replaceAll(/"(?:prompt|completion|total|input|output)_tokens":\d+/g, (field) =>
    field.replace(/\d+$/, chance.oneOf(LIES)),
  )
}

/** Cuts the bytes anywhere, also within a character. */
function stream(chance: Chance, events: readonly string[]): WireAnswer {
  const bytes = Buffer.from(events.join(''))
  const cuts = chance.is(0.7)
    ? []
    : Array.from({ length: 1 + chance.int(12) }, () => chance.int(bytes.length)).sort((a, b) => a - b)
  const parts = [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length))
  return { status: 200, headers: STREAM, parts, end: 'end' }
}

export function textAnswer(chance: Chance, kind: WireKind, text: string): WireAnswer {
  return callsAnswer(chance, kind, [], text)
}

const BROKEN_EVENTS = [
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":-1,"id":"a","function":{"name":"finish"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{"index":1e9,"id":"a","function":{"name":"finish"}}]}}]}\n\n',
  'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}',
  'data: {"error":{"message":"failed"}}\n\n',
  'data: null\n\n',
  'data: []\n\n',
  'data: [DONE]\n\n',
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use"}}\n\n',
  'data: {"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{"}}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":-4}}\n\n',
  'data: {"type":"__proto__"}\n\n',
  'data: {"type":"error"}\n\n',
  ': comment only\n\n',
  'event: x\nid: y\nretry: 1\n\n',
  'data\n\n',
  '\r\r\r\n\n',
  '<html>Bad gateway</html>',
]

/** Answers that are not the protocol, and streams that break. */
export function brokenAnswer(chance: Chance, kind: WireKind, calls: readonly ModelCall[]): WireAnswer {
  const whole = callsAnswer(chance, kind, calls)
  const bytes = Buffer.concat(whole.parts)
  switch (chance.int(5)) {
    case 0:
      return { ...whole, parts: [bytes.subarray(0, chance.int(bytes.length))], end: chance.oneOf(['end', 'destroy']) }
    case 1:
      return { ...whole, parts: [bytes.subarray(0, chance.int(bytes.length)), Buffer.from([0xff, 0xc3, 0x28])] }
    case 2:
      return { ...whole, parts: [Buffer.from(chance.oneOf(BROKEN_EVENTS)), bytes] }
    default:
      return { ...whole, parts: [Buffer.from(chance.oneOf(BROKEN_EVENTS))], end: chance.oneOf(['end', 'destroy']) }
  }
}

/** Statuses and headers. `retry-after: 0` keeps the client from waiting. */
export function statusAnswer(chance: Chance, trapUrl: string): WireAnswer {
  const status = chance.oneOf([
    301, 302, 307, 308, 400, 401, 403, 404, 413, 429, 500, 503, 529, 599, 999, 204, 205, 201,
  ])
  const headers = { location: `${trapUrl}/v1/chat/completions`, 'retry-after': chance.oneOf(['0', '-1', '99', 'x']) }
  const parts = [204, 205].includes(status) ? [] : [Buffer.from('{"error":"you sent me a secret"}')]
  return {
    status,
    headers: status === 529 || status === 429 || status >= 500 ? { ...headers, 'retry-after': '0' } : headers,
    parts,
    end: 'end',
  }
}
