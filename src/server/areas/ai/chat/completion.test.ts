import { describe, expect, it } from 'vitest'
import { createChatCompletion } from '#contract/chat-completions.ts'
import { toChatRequest, toChunks, toCompletion } from './completion.ts'
import type { ChatEvent } from './events.ts'

const parse = (over: object) =>
  createChatCompletion.input.parse({ model: 'acme/m', messages: [{ role: 'user', content: 'hello' }], ...over })
const hello = { messages: [{ role: 'user', text: 'hello' }], maxOutputTokens: 4096 }

describe('DS-24 a request in the shape of OpenAI', () => {
  it.each<[string, object, object]>([
    ['a question', {}, hello],
    [
      'a conversation',
      {
        messages: [
          { role: 'developer', content: 'Be brief.' },
          {
            role: 'system',
            content: [
              { type: 'text', text: 'Be ' },
              { type: 'text', text: 'kind.' },
            ],
          },
          { role: 'user', content: 'hello' },
          {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'a tree' },
          { role: 'assistant', content: 'A tree.' },
        ],
      },
      {
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'system', text: 'Be kind.' },
          { role: 'user', text: 'hello' },
          { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
          { role: 'tool', callId: 'c1', text: 'a tree' },
          { role: 'assistant', text: 'A tree.' },
        ],
        maxOutputTokens: 4096,
      },
    ],
    [
      'tools',
      {
        tools: [
          {
            type: 'function',
            function: { name: 'look', description: 'Looks.', parameters: { type: 'object' }, strict: true },
          },
          { type: 'function', function: { name: 'go' } },
        ],
        tool_choice: { type: 'function', function: { name: 'look' } },
      },
      {
        ...hello,
        tools: [
          { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
          { name: 'go', parameters: { type: 'object', properties: {} } },
        ],
        toolChoice: { name: 'look' },
      },
    ],
    ['any tool', { tool_choice: 'required' }, { ...hello, toolChoice: 'required' }],
    ['text', { response_format: { type: 'text' } }, hello],
    [
      'an object',
      { response_format: { type: 'json_object' } },
      { ...hello, answerSchema: { name: 'answer', schema: { type: 'object' } } },
    ],
    [
      'a schema',
      {
        response_format: { type: 'json_schema', json_schema: { name: 'v', schema: { type: 'object' }, strict: true } },
      },
      { ...hello, answerSchema: { name: 'v', schema: { type: 'object' }, strict: true } },
    ],
    ['the older limit', { max_tokens: 5 }, { ...hello, maxOutputTokens: 5 }],
    ['both limits', { max_tokens: 5, max_completion_tokens: 6 }, { ...hello, maxOutputTokens: 6 }],
    [
      'sampling',
      { temperature: 0, top_p: 0.5, stop: 'END', n: 1, user: 'me', stream: false },
      { ...hello, temperature: 0, topP: 0.5, stop: ['END'] },
    ],
    ['nulls', { temperature: null, top_p: null, stop: null, max_tokens: null, stream: null, n: null }, hello],
  ])('%s', (_, over, expected) => {
    expect(toChatRequest(parse(over))).toEqual(expected)
  })
})

const head = { id: 'chatcmpl-1', created: 12, model: 'acme/m' }
const usage = { inputTokens: 7, outputTokens: 3 }
const counts = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

describe('DS-24 an answer in the shape of OpenAI', () => {
  it('has text and usage', () => {
    expect(toCompletion(head, { text: 'Hi', toolCalls: [], stopReason: 'stop', usage })).toEqual({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: counts,
    })
  })

  it('has tool calls, and no usage that nobody reported', () => {
    const toolCalls = [{ id: 'c1', name: 'look', arguments: '{}' }]
    expect(toCompletion(head, { text: '', toolCalls, stopReason: 'tool_calls', usage: undefined })).toEqual({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
    })
  })

  const end: ChatEvent = { type: 'end', stopReason: 'length', usage }
  const delta = (content: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: content, logprobs: null, finish_reason }],
  })
  it.each<[string, ChatEvent, { isFirst?: boolean; includeUsage?: boolean }, object[]]>([
    ['text', { type: 'text', text: 'Hi' }, {}, [delta({ content: 'Hi' })]],
    [
      'the first text',
      { type: 'text', text: 'Hi' },
      { isFirst: true },
      [delta({ role: 'assistant', content: '' }), delta({ content: 'Hi' })],
    ],
    [
      'a tool call',
      { type: 'tool_call', index: 1, id: 'c1', name: 'look' },
      {},
      [delta({ tool_calls: [{ index: 1, id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }] })],
    ],
    [
      'arguments',
      { type: 'arguments', index: 1, text: '{}' },
      {},
      [delta({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] })],
    ],
    ['the end', end, {}, [delta({}, 'length')]],
    [
      'the end with usage',
      end,
      { includeUsage: true },
      [
        { ...delta({}, 'length'), usage: null },
        { choices: [], usage: counts },
      ],
    ],
    [
      'the end without a usage',
      { ...end, usage: undefined },
      { includeUsage: true },
      [{ ...delta({}, 'length'), usage: null }],
    ],
  ])('%s is a part of a stream', (_, event, { isFirst = false, includeUsage = false }, expected) => {
    expect(toChunks(head, event, { isFirst, includeUsage })).toEqual(
      expected.map((chunk) => ({ ...head, object: 'chat.completion.chunk', ...chunk })),
    )
  })
})
