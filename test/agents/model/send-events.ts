import type { ServerResponse } from 'node:http'

/** Sends server-sent events. An event with a `type` is named by it, as Anthropic and OpenAI Responses do. */
export function sendEvents(
  response: ServerResponse,
  events: readonly { type?: string; [field: string]: unknown }[],
  last?: string,
): void {
  response.setHeader('content-type', 'text/event-stream')
  for (const event of events) {
    const name = event.type === undefined ? '' : `event: ${event.type}\n`
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(last === undefined ? undefined : `data: ${last}\n\n`)
}
