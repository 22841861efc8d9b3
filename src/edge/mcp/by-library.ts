import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { McpCall } from './mcp-call.ts'

/** Lets the library answer a message. The body is read before, so that the library does not copy the request. */
export function byLibrary(handler: McpHttpHandler, parsedBody: unknown, call: McpCall): Promise<Response> {
  // The library passes `authInfo` through unchanged. It does not get the token.
  const authInfo = { token: '', clientId: '', scopes: [], extra: { call } }
  return handler.fetch(call.context.request, { authInfo, parsedBody })
}
