import type { ServerResponse } from 'node:http'
import type { Call, Reply, Turn } from './reply.ts'
import { sendEvents } from './send-events.ts'

type Body = {
  tools?: { function: { name: string } }[]
  messages: { role: string; tool_call_id?: string; content: unknown }[]
}

/** The Chat Completions API of OpenAI, streamed. */
export function readChat({ tools = [], messages }: Body): Turn {
  const results = messages.filter(({ role }) => role === 'tool')
  return {
    tools: tools.map((tool) => tool.function.name),
    results: results.map(({ tool_call_id, content }) => ({ id: tool_call_id, text: JSON.stringify(content) })),
  }
}

export function sendChat(response: ServerResponse, reply: Reply): void {
  const delta = 'call' in reply ? { tool_calls: [toolCall(reply.call)] } : { content: reply.text }
  const chunk = (choice: object) => ({
    id: 'chatcmpl_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, finish_reason: null, ...choice }],
  })
  sendEvents(
    response,
    [
      chunk({ delta: { role: 'assistant', ...delta } }),
      chunk({ delta: {}, finish_reason: 'call' in reply ? 'tool_calls' : 'stop' }),
    ],
    '[DONE]',
  )
}

function toolCall({ id, name, input }: Call) {
  return { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}
