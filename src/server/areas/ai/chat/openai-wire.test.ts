import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '#ports/chat-model.ts'
import type { ChatEvent } from './events.ts'
import { openAiWire } from './openai-wire.ts'
import { UnreadableAnswer } from './wire.ts'

const wire = openAiWire('max_tokens')
const HELLO: ChatRequest = { messages: [{ role: 'user', text: 'hello' }], maxOutputTokens: 100 }
const FIXED = { model: 'm', stream: true, stream_options: { include_usage: true } }
const hello = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 }
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }

describe('DS-24 a request to OpenAI', () => {
  it.each<[string, Partial<ChatRequest>, object]>([
    ['a question', {}, hello],
    [
      'a conversation with tools',
      {
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'user', text: 'hello' },
          { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{"at":1' }] },
          { role: 'tool', callId: 'c1', text: 'a tree' },
          { role: 'assistant', text: 'A tree.' },
        ],
        tools: [tool],
        toolChoice: 'required',
      },
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hello' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'a tree' },
          { role: 'assistant', content: 'A tree.' },
        ],
        tools: [{ type: 'function', function: tool }],
        tool_choice: 'required',
        max_tokens: 100,
      },
    ],
    [
      'one tool by name',
      { tools: [tool], toolChoice: { name: 'look' } },
      {
        ...hello,
        tools: [{ type: 'function', function: tool }],
        tool_choice: { type: 'function', function: { name: 'look' } },
      },
    ],
    [
      'an answer of a schema',
      { answerSchema: { name: 'verdict', schema: { type: 'object' }, strict: true } },
      {
        ...hello,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'verdict', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    ['sampling', { temperature: 0, topP: 0.5, stop: ['END'] }, { ...hello, temperature: 0, top_p: 0.5, stop: ['END'] }],
  ])('%s', (_, over, expected) => {
    expect(wire.body('m', { ...HELLO, ...over })).toEqual({ ...FIXED, ...expected })
  })

  it('the output limit has the name that the provider knows', () => {
    expect(openAiWire('max_completion_tokens').body('m', HELLO)).toEqual({
      ...FIXED,
      messages: hello.messages,
      max_completion_tokens: 100,
    })
  })

  it('the key is a bearer token, and without one no header is sent', () => {
    expect([wire.headers('sk-1'), wire.headers(undefined)]).toEqual([{ authorization: 'Bearer sk-1' }, {}])
  })
})

const choice = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] })
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

function readAll(chunks: readonly (object | string)[]): (ChatEvent | undefined)[] {
  const reader = wire.reader(HELLO)
  const events = chunks.flatMap((one) => reader.read(typeof one === 'string' ? one : JSON.stringify(one)))
  return [...events, reader.end()]
}

describe('DS-24 an answer of OpenAI', () => {
  const end = { type: 'end', stopReason: 'stop', usage: undefined }
  const call = { type: 'tool_call', index: 0, id: 'c1', name: 'look' }
  it.each<[string, (object | string)[], unknown[]]>([
    [
      'text, and the usage after it',
      [
        choice({ role: 'assistant', content: '' }),
        choice({ content: 'Hi' }),
        choice({}, 'stop'),
        { choices: [], usage },
        '[DONE]',
      ],
      [
        { type: 'text', text: 'Hi' },
        { ...end, usage: { inputTokens: 7, outputTokens: 3 } },
      ],
    ],
    [
      'usage in the last choice',
      [{ ...choice({}, 'stop'), usage }],
      [{ ...end, usage: { inputTokens: 7, outputTokens: 3 } }],
    ],
    [
      'hidden output that only the total counts',
      [{ ...choice({}, 'stop'), usage: { ...usage, total_tokens: 50 } }],
      [{ ...end, usage: { inputTokens: 7, outputTokens: 43 } }],
    ],
    ['a usage of nothing', [{ ...choice({}, 'stop'), usage: { prompt_tokens: 0, total_tokens: 0 } }], [end]],
    [
      'a usage of nothing after one of something',
      [
        { choices: [], usage },
        { ...choice({}, 'stop'), usage: { prompt_tokens: 0, completion_tokens: 0 } },
      ],
      [{ ...end, usage: { inputTokens: 7, outputTokens: 3 } }],
    ],
    [
      'a usage that cannot be true',
      [{ ...choice({}, 'stop'), usage: { prompt_tokens: 9_007_199_254_740_991, completion_tokens: 1 } }],
      [end],
    ],
    ['a usage that cannot be read', [{ ...choice({}, 'stop'), usage: { prompt_tokens: -1 } }], [end]],
    [
      'a refusal',
      [choice({ refusal: 'No.' }), choice({}, 'content_filter')],
      [
        { type: 'text', text: 'No.' },
        { ...end, stopReason: 'content_filter' },
      ],
    ],
    [
      'the output limit',
      [choice({ content: 'a' }, 'length')],
      [
        { type: 'text', text: 'a' },
        { ...end, stopReason: 'length' },
      ],
    ],
    ['an unknown end', [choice({}, 'eos')], [end]],
    [
      'two tool calls in parts',
      [
        choice({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '' } }] }),
        choice({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
        choice({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'go', arguments: '{}' } }] }),
        choice({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
        choice({}, 'tool_calls'),
      ],
      [
        call,
        { type: 'arguments', index: 0, text: '{"a":' },
        { type: 'tool_call', index: 1, id: 'c2', name: 'go' },
        { type: 'arguments', index: 1, text: '{}' },
        { type: 'arguments', index: 0, text: '1}' },
        { ...end, stopReason: 'tool_calls' },
      ],
    ],
    [
      'tool calls without an index, and an end that says stop',
      [
        choice({ tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{}' } }] }),
        choice({ tool_calls: [{ id: 'c2', function: { name: 'go', arguments: '{}' } }] }),
        choice({}, 'stop'),
      ],
      [
        call,
        { type: 'arguments', index: 0, text: '{}' },
        { type: 'tool_call', index: 1, id: 'c2', name: 'go' },
        { type: 'arguments', index: 1, text: '{}' },
        { ...end, stopReason: 'tool_calls' },
      ],
    ],
    ['no end', [choice({ content: 'a' })], [{ type: 'text', text: 'a' }, undefined]],
  ])('%s', (_, chunks, expected) => {
    expect(readAll(chunks)).toEqual(expected)
  })

  it.each<[string, object | string, string]>([
    ['no JSON', 'canary', 'sent an answer that cannot be read'],
    ['another shape', { choices: 'canary' }, 'sent an answer that cannot be read'],
    [
      'more than 1,000 calls',
      choice({ tool_calls: Array.from({ length: 1_001 }, () => ({ id: 'c', function: { name: 'look' } })) }),
      'sent an answer that cannot be read',
    ],
    ['a call without a name', choice({ tool_calls: [{ index: 0, id: 'c1' }] }), 'sent an answer that cannot be read'],
    ['an error', { error: { message: 'canary' } }, 'failed in the middle of its answer'],
  ])('%s is refused without being quoted', (_, chunk, message) => {
    expect(() => readAll([chunk])).toThrow(new UnreadableAnswer(message))
  })

  it('MA-19 more than 1,000 calls in several events are refused, and further choices are not read', () => {
    const look = { id: 'c', function: { name: 'look' } }
    const half = choice({ tool_calls: Array.from({ length: 501 }, () => look) })
    expect(() => readAll([half, half])).toThrow(new UnreadableAnswer('sent an answer with too many tool calls'))
    const [first] = choice({ content: 'Hi' }, 'stop').choices
    expect(readAll([{ choices: [first, 7, { delta: 7 }] }])).toEqual([{ type: 'text', text: 'Hi' }, end])
  })
})
