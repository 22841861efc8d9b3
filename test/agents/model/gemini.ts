import type { ServerResponse } from 'node:http'
import type { Reply, Turn } from './reply.ts'
import { sendEvents } from './send-events.ts'

type Part = { functionResponse?: { id?: string; response: unknown } }
type Body = { tools?: { functionDeclarations?: { name: string }[] }[]; contents: { parts?: Part[] }[] }

/** `generateContent` and `streamGenerateContent` of the Gemini API. */
export function readGemini({ tools = [], contents }: Body): Turn {
  const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name))
  const parts = contents.flatMap(({ parts: list = [] }) => list)
  const results = parts.flatMap(({ functionResponse }) => functionResponse ?? [])
  return { tools: names, results: results.map(({ id, response }) => ({ id, text: JSON.stringify(response) })) }
}

export function sendGemini(response: ServerResponse, reply: Reply, stream: boolean): void {
  const part =
    'call' in reply
      ? {
          functionCall: { id: reply.call.id, name: reply.call.name, args: reply.call.input },
          thoughtSignature: 'c2NyaXB0ZWQ=',
        }
      : { text: reply.text }
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'scripted',
  }
  if (stream) sendEvents(response, [answer])
  else response.end(JSON.stringify(answer))
}
