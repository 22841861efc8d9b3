import type { ServerResponse } from 'node:http'
import type { Reply, Turn } from './reply.ts'
import { sendEvents } from './send-events.ts'

type Tool = { type: string; name?: string; tools?: Tool[] }
type Body = { tools?: Tool[]; input: { type?: string; call_id?: string; output?: unknown }[] }

/** Codex groups the tools of an MCP server in a namespace, which a call has to name. */
const SEPARATOR = '.'

/** The Responses API of OpenAI. */
export function readResponses({ tools = [], input }: Body): Turn {
  const names = tools.flatMap(({ name = '', tools: inner }) =>
    inner ? inner.map((tool) => `${name}${SEPARATOR}${tool.name}`) : [name],
  )
  const results = input.filter(({ type }) => type === 'function_call_output')
  return {
    tools: names,
    results: results.map(({ call_id, output }) => ({ id: call_id, text: JSON.stringify(output) })),
  }
}

export function sendResponses(response: ServerResponse, reply: Reply): void {
  const item =
    'call' in reply
      ? {
          type: 'function_call',
          id: 'fc_1',
          call_id: reply.call.id,
          ...toolName(reply.call.name),
          arguments: JSON.stringify(reply.call.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: reply.text, annotations: [] }],
        }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const head = { id: 'resp_1', object: 'response', model: 'scripted' }
  sendEvents(response, [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...head, status: 'completed', output: [item], usage } },
  ])
}

function toolName(full: string): { name: string; namespace?: string } {
  const [namespace = '', name] = full.split(SEPARATOR)
  return name === undefined ? { name: namespace } : { name, namespace }
}
