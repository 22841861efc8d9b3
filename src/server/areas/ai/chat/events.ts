import type { ChatAnswer, ChatStopReason, ChatUsage } from '#ports/chat-model.ts'

/** A piece of an answer, in the order in which the model writes it. `end` comes last and once. */
export type ChatEvent =
  | { readonly type: 'text'; readonly text: string }
  /** `index` counts the tool calls of the answer from 0. */
  | { readonly type: 'tool_call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'end'; readonly stopReason: ChatStopReason; readonly usage: ChatUsage | undefined }

export async function collectAnswer(events: AsyncIterable<ChatEvent>): Promise<ChatAnswer> {
  let text = ''
  const toolCalls: { id: string; name: string; arguments: string }[] = []
  for await (const event of events) {
    switch (event.type) {
      case 'text':
        text += event.text
        break
      case 'tool_call':
        toolCalls[event.index] = { id: event.id, name: event.name, arguments: '' }
        break
      case 'arguments':
        toolCalls[event.index]!.arguments += event.text
        break
      case 'end':
        return { text, toolCalls, stopReason: event.stopReason, usage: event.usage }
      default:
        throw event satisfies never
    }
  }
  throw new Error('the events of an answer have no end')
}
