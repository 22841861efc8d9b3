import { createMcpHandler, type McpHttpHandler, type Server } from '@modelcontextprotocol/server'
import { ServiceError } from '#contract/core/errors.ts'
import type { Context } from '../http/route.ts'

export type McpEndpoint = (context: Context) => Promise<Response>

/** One request to an MCP endpoint. */
export type McpCall = {
  readonly context: Context
  /** Answers the HTTP request with this error, in place of a JSON-RPC error. */
  readonly refuse: (error: ServiceError) => void
}

type Deps = {
  /** Creates the server of one request. There are no sessions. */
  build: (call: McpCall) => Server
  onError: (error: unknown) => void
}

/** Creates an MCP endpoint for clients of the protocol versions 2026-07-28 and 2025-11-25. */
export function createMcpEndpoint({ build, onError }: Deps): McpEndpoint {
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => build(authInfo!.extra!.call as McpCall), {
    onerror: onError,
  })
  return async (context) => {
    const parsedBody = await readBody(context.request)
    if (parsedBody === undefined) return notJson()
    let refusal: ServiceError | undefined
    const refuse = (error: ServiceError) => {
      refusal = error
    }
    // The library passes `authInfo` through unchanged. It does not get the token.
    const authInfo = { token: '', clientId: '', scopes: [], extra: { call: { context, refuse } satisfies McpCall } }
    // The body is read here, so that the library does not copy the request.
    const response = await handler.fetch(context.request, { authInfo, parsedBody })
    if (refusal) throw refusal
    return response
  }
}

/** Returns undefined if the body is not JSON. */
async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function readText(request: Request): Promise<string> {
  try {
    return await request.text()
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('MALFORMED_REQUEST', 'The body ended before it was complete.', { cause })
  }
}

// https://www.jsonrpc.org/specification#error_object
const PARSE_ERROR = -32700

function notJson(): Response {
  const error = { code: PARSE_ERROR, message: 'Parse error: the request body is not valid JSON' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}
