import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { ServiceError } from '#contract/core/errors.ts'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import type { Clock } from '#lib/time/clock.ts'
import { parseJson } from '../input/parse-json.ts'
import type { Context } from '../route/route.ts'
import type { OpenStreams } from '../stream/open-streams.ts'
import { byLibrary } from './by-library.ts'
import { createListen, readListen } from './listen.ts'
import type { McpCall } from './mcp-call.ts'
import { answerPlainCall } from './plain-answer.ts'
import { type PlainCall, readMisshapenCall, readPlainCall } from './plain-call.ts'
import type { ResourceTools } from './resource-tools.ts'
import type { Tools } from './tools.ts'

export type McpEndpoint = (context: Context) => Promise<Response>

type Deps = {
  tools: Pick<Tools, 'build'> & Partial<Tools>
  /** A resource that clients can subscribe to, if the endpoint has one. */
  subscriptions?: { resource: ResourceTools; openStreams: OpenStreams; clock: Clock } | undefined
  onError: (error: unknown) => void
}

const MAX_CACHED_ENVELOPES = 1_000

/**
 * Creates an MCP endpoint for clients of the protocol versions 2026-07-28 and 2025-11-25. The library answers every
 * message but one kind: tool calls, whose answer is made here where `tools` can call them. That costs a third.
 */
export function createMcpEndpoint({ tools, subscriptions, onError }: Deps): McpEndpoint {
  const handler: McpHttpHandler = createMcpHandler(
    ({ authInfo, era }) => tools.build(authInfo!.extra!.call as McpCall, era),
    { onerror: onError },
  )
  const answerPlain = plainAnswers(tools)
  const listen = subscriptions && createListen({ ...subscriptions, build: tools.build, onError })
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
    const listening = listen && readListen(message)
    if (listening) return listen(listening, call)
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
