import type { ServerResponse } from 'node:http'
import type { Reply, Turn } from './reply.ts'
import { sendEvents } from './send-events.ts'

type Block = { type: string; tool_use_id?: string; content?: unknown }
type Body = { tools?: { name: string }[]; messages: { content: string | Block[] }[]; stream?: boolean }

/** The Messages API. */
export function readAnthropic({ tools = [], messages }: Body): Turn {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const results = blocks.filter(({ type }) => type === 'tool_result')
  return {
    tools: tools.map(({ name }) => name),
    results: results.map(({ tool_use_id, content }) => ({ id: tool_use_id, text: JSON.stringify(content) })),
  }
}

export function sendAnthropic(response: ServerResponse, reply: Reply, { stream }: Body): void {
  const block = 'call' in reply ? { type: 'tool_use', ...reply.call } : { type: 'text', ...reply }
  const stop_reason = 'call' in reply ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', stop_sequence: null, usage }
  if (!stream) return void response.end(JSON.stringify({ ...head, content: [block], stop_reason }))
  const empty = 'call' in reply ? { ...block, input: {} } : { ...block, text: '' }
  const delta =
    'call' in reply
      ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.call.input) }
      : { type: 'text_delta', text: reply.text }
  sendEvents(response, [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
}
