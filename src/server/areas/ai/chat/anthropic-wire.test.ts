import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '#ports/chat-model.ts'
import { anthropicWire as wire } from './anthropic-wire.ts'
import type { ChatEvent } from './events.ts'
import { UnreadableAnswer } from './wire.ts'

const HELLO: ChatRequest = { messages: [{ role: 'user', text: 'hello' }], maxOutputTokens: 100 }
const FIXED = { model: 'm', max_tokens: 100, stream: true }
const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }]
const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }
const look = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } }
const answerSchema = { name: 'verdict', schema: { type: 'object', required: ['ok'] } }
const verdict = {
  name: 'verdict',
  description: 'Gives the final answer to the user.',
  input_schema: { type: 'object', required: ['ok'] },
}

describe('DS-24 a request to Anthropic', () => {
  it.each<[string, Partial<ChatRequest>, object]>([
    ['a question', {}, { messages }],
    [
      'a conversation with tools: system texts apart, results of tools and the text after them in one turn',
      {
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'system', text: 'Be kind.' },
          { role: 'user', text: 'hello' },
          {
            role: 'assistant',
            text: 'Wait.',
            toolCalls: [
              { id: 'c1', name: 'look', arguments: '{"at":1}' },
              { id: 'c2', name: 'look', arguments: '{}' },
            ],
          },
          { role: 'tool', callId: 'c1', text: 'a tree' },
          { role: 'tool', callId: 'c2', text: 'a stone' },
          { role: 'user', text: 'and?' },
          { role: 'assistant', text: '' },
        ],
        tools: [tool],
      },
      {
        system: 'Be brief.\n\nBe kind.',
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Wait.' },
              { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } },
              { type: 'tool_use', id: 'c2', name: 'look', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1', content: 'a tree' },
              { type: 'tool_result', tool_use_id: 'c2', content: 'a stone' },
              { type: 'text', text: 'and?' },
            ],
          },
        ],
        tools: [look],
        tool_choice: { type: 'auto' },
      },
    ],
    ['any tool', { tools: [tool], toolChoice: 'required' }, { messages, tools: [look], tool_choice: { type: 'any' } }],
    ['no tool', { tools: [tool], toolChoice: 'none' }, { messages, tools: [look], tool_choice: { type: 'none' } }],
    [
      'one tool',
      { tools: [tool], toolChoice: { name: 'look' } },
      { messages, tools: [look], tool_choice: { type: 'tool', name: 'look' } },
    ],
    [
      'an answer of a schema',
      { answerSchema },
      { messages, tools: [verdict], tool_choice: { type: 'tool', name: 'verdict' } },
    ],
    [
      'an answer of a schema, or a tool',
      { answerSchema, tools: [tool] },
      { messages, tools: [look, verdict], tool_choice: { type: 'any' } },
    ],
    [
      'an answer of a schema and no tool',
      { answerSchema, tools: [tool], toolChoice: 'none' },
      { messages, tools: [look, verdict], tool_choice: { type: 'tool', name: 'verdict' } },
    ],
    [
      'sampling',
      { temperature: 1, topP: 0.5, stop: ['END'] },
      { messages, temperature: 1, top_p: 0.5, stop_sequences: ['END'] },
    ],
  ])('%s', (_, over, expected) => {
    expect(wire.body('m', { ...HELLO, ...over })).toEqual({ ...FIXED, ...expected })
  })

  const badCall = { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'look', arguments: 'canary' }] } as const
  it.each<[string, Partial<ChatRequest>, string]>([
    ['a temperature above 1', { temperature: 1.5 }, 'temperature: must be at most 1 for this provider, not 1.5'],
    [
      'arguments that are no JSON',
      { messages: [badCall] },
      'messages: the arguments of a tool call must be a JSON object for this provider',
    ],
    [
      'no message but of the system',
      { messages: [{ role: 'system', text: 'a' }] },
      'messages: must contain a message of the user',
    ],
    [
      'a schema with the name of a tool',
      { answerSchema, tools: [{ ...tool, name: 'verdict' }] },
      'response_format: its name must not be the name of a tool, as verdict is',
    ],
  ])('%s is refused before it is sent', (_, over, message) => {
    const body = () => wire.body('m', { ...HELLO, ...over })
    expect(body).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }))
  })

  it('has a version and a key', () => {
    expect(wire.headers('sk-1')).toEqual({ 'anthropic-version': '2023-06-01', 'x-api-key': 'sk-1' })
    expect(wire.headers(undefined)).toEqual({ 'anthropic-version': '2023-06-01' })
  })

  it('reserves the text that the provider adds for tools', () => {
    expect([{}, { tools: [tool] }, { answerSchema }].map((over) => wire.addedTokens({ ...HELLO, ...over }))).toEqual([
      0, 1000, 1000,
    ])
  })
})

function readAll(events: readonly object[], over: Partial<ChatRequest> = {}): (ChatEvent | undefined)[] {
  const reader = wire.reader({ ...HELLO, ...over })
  return [...events.flatMap((one) => reader.read(JSON.stringify(one))), reader.end()]
}

const start = { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }
const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, type: string, value: object) => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...value },
})
const stopBlock = (index: number) => ({ type: 'content_block_stop', index })
const ended = (stop_reason: string, usage: object = { output_tokens: 3 }) => ({
  type: 'message_delta',
  delta: { stop_reason },
  usage,
})

describe('DS-24 an answer of Anthropic', () => {
  const end = { type: 'end', stopReason: 'stop', usage: { inputTokens: 7, outputTokens: 3 } }
  const toolUse = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} })
  it.each<[string, object[], unknown[]]>([
    [
      'text, among events and deltas that say nothing',
      [
        start,
        { type: 'ping' },
        begin(0, { type: 'thinking' }),
        delta(0, 'thinking_delta', { thinking: 'hm' }),
        stopBlock(0),
        begin(1, { type: 'text', text: '' }),
        delta(1, 'text_delta', { text: 'Hi' }),
        { type: 'a_new_event', x: 1 },
        stopBlock(1),
        ended('end_turn'),
        { type: 'message_stop' },
      ],
      [{ type: 'text', text: 'Hi' }, end],
    ],
    [
      'a tool call in parts and one without arguments',
      [
        start,
        begin(0, { type: 'text' }),
        stopBlock(0),
        begin(1, toolUse('c1', 'look')),
        delta(1, 'input_json_delta', { partial_json: '' }),
        delta(1, 'input_json_delta', { partial_json: '{"a":' }),
        delta(1, 'input_json_delta', { partial_json: '1}' }),
        stopBlock(1),
        begin(2, toolUse('c2', 'go')),
        stopBlock(2),
        ended('tool_use'),
      ],
      [
        { type: 'tool_call', index: 0, id: 'c1', name: 'look' },
        { type: 'arguments', index: 0, text: '{"a":' },
        { type: 'arguments', index: 0, text: '1}' },
        { type: 'tool_call', index: 1, id: 'c2', name: 'go' },
        { type: 'arguments', index: 1, text: '{}' },
        { ...end, stopReason: 'tool_calls' },
      ],
    ],
    [
      'tokens of the cache',
      [
        {
          type: 'message_start',
          message: { usage: { input_tokens: 7, cache_creation_input_tokens: 20, cache_read_input_tokens: 300 } },
        },
        ended('end_turn'),
      ],
      [{ ...end, usage: { inputTokens: 327, outputTokens: 3 } }],
    ],
    [
      'a later count of the input',
      [start, ended('end_turn', { input_tokens: 9, output_tokens: 3 })],
      [{ ...end, usage: { inputTokens: 9, outputTokens: 3 } }],
    ],
    ['the output limit', [start, ended('max_tokens')], [{ ...end, stopReason: 'length' }]],
    ['a refusal', [start, ended('refusal')], [{ ...end, stopReason: 'content_filter' }]],
    ['an unknown end', [start, ended('other')], [end]],
    [
      'no usage of the output',
      [{ type: 'message_start', message: { usage: { input_tokens: 7 } } }, ended('end_turn', {})],
      [{ ...end, usage: undefined }],
    ],
    [
      'a usage of nothing',
      [
        { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } },
        ended('end_turn', { output_tokens: 0 }),
      ],
      [{ ...end, usage: undefined }],
    ],
    ['no end', [start], [undefined]],
  ])('%s', (_, events, expected) => {
    expect(readAll(events)).toEqual(expected)
  })

  it('the call of the answer’s tool is the text of the answer', () => {
    const events = [
      start,
      begin(0, toolUse('c1', 'verdict')),
      delta(0, 'input_json_delta', { partial_json: '{"ok":' }),
      delta(0, 'input_json_delta', { partial_json: 'true}' }),
      stopBlock(0),
      ended('tool_use'),
    ]
    expect(readAll(events, { answerSchema })).toEqual([
      { type: 'text', text: '{"ok":' },
      { type: 'text', text: 'true}' },
      end,
    ])
  })

  it.each<[string, object, string]>([
    ['an event without type', { canary: 1 }, 'sent an answer that cannot be read'],
    ['an event of another shape', { type: 'message_delta', delta: 'canary' }, 'sent an answer that cannot be read'],
    ['a call without a name', begin(0, { type: 'tool_use', id: 'c1' }), 'sent an answer that cannot be read'],
    ['an error', { type: 'error', error: { message: 'canary' } }, 'failed in the middle of its answer'],
  ])('%s is refused without being quoted', (_, event, message) => {
    expect(() => readAll([event])).toThrow(new UnreadableAnswer(message))
  })

  it('MA-19 more than 1,000 calls are refused', () => {
    const calls = Array.from({ length: 1_001 }, (_, index) => begin(index, { type: 'tool_use', id: 'c', name: 'look' }))
    expect(readAll(calls.slice(1))).toHaveLength(1_001)
    expect(() => readAll(calls)).toThrow(new UnreadableAnswer('sent an answer with too many tool calls'))
  })
})
