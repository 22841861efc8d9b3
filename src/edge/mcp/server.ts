import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { ServiceError } from '#contract/core/errors.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { parseJson } from '../input/parse-json.ts'
import type { Context } from '../route/route.ts'
import type { McpCall } from './mcp-call.ts'
import { answerPlainCall } from './plain-answer.ts'
import { type PlainCall, readMisshapenCall, readPlainCall } from './plain-call.ts'
import type { Tools } from './tools.ts'

export type McpEndpoint = (context: Context) => Promise<Response>

type Deps = {
  tools: Pick<Tools, 'build'> & Partial<Tools>
  onError: (error: unknown) => void
}

const MAX_CACHED_ENVELOPES = 1_000

/**
 * Creates an MCP endpoint for clients of the protocol versions 2026-07-28 and 2025-11-25. The library answers every
 * message but one kind: tool calls, whose answer is made here where `tools` can call them. That costs a third.
 */
export function createMcpEndpoint({ tools, onError }: Deps): McpEndpoint {
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => tools.build(authInfo!.extra!.call as McpCall), {
    onerror: onError,
  })
  const answerPlain = plainAnswers(tools)
  /** Protocol fields that the library has accepted in an earlier call. */
  const accepted = createBoundedCache<string, true>({ max: MAX_CACHED_ENVELOPES })
  return async (context) => {
    const message = await readBody(context.request)
    if (message === undefined) return notJson()
    const plain = answerPlain && readPlainCall(context.request.headers, message)
    let refusal: ServiceError | undefined
    const call: McpCall = {
      context,
      refuse: (error) => {
        refusal = error
      },
      onToolCalled: () => {
        if (plain?.envelope !== undefined) accepted.set(plain.envelope, true)
      },
    }
    const isAccepted = plain && (plain.envelope === undefined || accepted.get(plain.envelope))
    const misshapenTool = plain === undefined ? readMisshapenCall(message) : undefined
    if (misshapenTool !== undefined) await tools.recordMisshapen?.(misshapenTool, context)
    const response = (isAccepted && (await answerPlain(plain, call))) || (await byLibrary(handler, message, call))
    if (refusal) throw refusal
    return response
  }
}

type AnswerPlain = (plain: PlainCall, call: McpCall) => Promise<Response> | undefined

/** Returns undefined where tools can be called by the library only. */
function plainAnswers({ call: callTool, info, isLong }: Deps['tools']): AnswerPlain | undefined {
  if (!callTool || !info || !isLong) return undefined
  const serverInfo = JSON.stringify(info)
  return (plain, call) => {
    // The library keeps the stream of an earlier revision alive while a long tool runs.
    if (plain.envelope === undefined && isLong(plain.name)) return undefined
    return answerPlainCall(plain, serverInfo, () => callTool(plain.name, plain.args, call))
  }
}

function byLibrary(handler: McpHttpHandler, parsedBody: unknown, call: McpCall): Promise<Response> {
  // The library passes `authInfo` through unchanged. It does not get the token.
  const authInfo = { token: '', clientId: '', scopes: [], extra: { call } }
  // The body is read before, so that the library does not copy the request.
  return handler.fetch(call.context.request, { authInfo, parsedBody })
}

/** Returns undefined if the body is not JSON. */
async function readBody(request: Request): Promise<unknown> {
  const text = await readText(request)
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_REQUEST') throw error
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
