import { createMcpHandler, type McpHttpHandler, Server, type Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ERRORS, type ServiceError } from '#contract/errors.ts'
import type { JsonOperation } from '#contract/operation.ts'
import { inputError, toServiceError } from './problem.ts'
import type { Context } from './route.ts'

/** Calls an operation for the agent: over the typed client, so that HTTP and MCP cannot differ. */
export type CallTool = (op: JsonOperation, input: Record<string, unknown>, context: Context) => Promise<unknown>

export type McpEndpoint = (context: Context) => Promise<Response>

type Deps = {
  name: string
  version: string
  operations: readonly JsonOperation[]
  call: CallTool
  onError: (error: unknown) => void
}

const LIST_TTL_MS = 60_000
// https://www.jsonrpc.org/specification#error_object
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602

/** One MCP endpoint whose tools are operations. The JSON schemas are made once, here. */
export function createMcpEndpoint(deps: Deps): McpEndpoint {
  const tools = deps.operations.map(toTool)
  const byName = new Map(deps.operations.map((op) => [op.tool!.name, op]))
  const build = (context: Context): Server => {
    const server = new Server({ name: deps.name, version: deps.version }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools, ttlMs: LIST_TTL_MS, cacheScope: 'private' as const }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      const op = byName.get(params.name)
      if (!op) throw new ProtocolFault(INVALID_PARAMS, `there is no tool ${params.name.slice(0, 64)}`)
      return callTool(op, params.arguments ?? {}, context, deps)
    })
    return server
  }
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => build(authInfo!.extra!.context as Context), {
    onerror: deps.onError,
  })
  return async (context) => {
    // The library hands `authInfo` through untouched; the token itself stays here.
    const authInfo = { token: '', clientId: context.principal?.id ?? '', scopes: [], extra: { context } }
    return handler.fetch(plainRequest(context.request), { authInfo })
  }
}

/** A JSON-RPC error: the call itself was wrong, and no model can mend it by other arguments. */
class ProtocolFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** The arguments pass our own parser first, so that HTTP and MCP refuse them in the same words. */
async function callTool(op: JsonOperation, input: Record<string, unknown>, context: Context, deps: Deps) {
  try {
    const parsed = op.input.safeParse(input)
    if (!parsed.success) throw inputError(parsed.error)
    const output = (await deps.call(op, input, context)) as Record<string, unknown>
    return { content: [{ type: 'text' as const, text: JSON.stringify(output) }], structuredContent: output }
  } catch (error) {
    const refusal = toServiceError(error)
    if (refusal.code === 'INTERNAL') deps.onError(error)
    const text = textOf(refusal, context.requestId)
    if (ERRORS[refusal.code].mcp === 'protocol') throw new ProtocolFault(INVALID_REQUEST, text)
    return { isError: true, content: [{ type: 'text' as const, text }] }
  }
}

/** What a model needs to mend its call: the code, the words, and how long to wait. */
function textOf(error: ServiceError, requestId: string): string {
  const wait = error.retryAfterSeconds === undefined ? '' : ` Wait ${Math.ceil(error.retryAfterSeconds)} seconds.`
  const id = ERRORS[error.code].status >= 500 ? ` Request id: ${requestId}.` : ''
  return `${error.code}: ${error.message}.${wait}${id}`
}

function toTool(op: JsonOperation): Tool {
  const readOnly = op.effect === 'read'
  return {
    name: op.tool!.name,
    title: op.summary,
    description: op.tool!.description,
    inputSchema: objectSchema(op.input, 'input'),
    outputSchema: objectSchema(op.output, 'output'),
    annotations: { readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: false },
  }
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return { ...rest, type: 'object' } as Tool['inputSchema']
}

/** The listener's request is a light stand-in that cannot be cloned by the library: hand it a real one. */
function plainRequest(request: Request): Request {
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    duplex: 'half',
  } as RequestInit)
}
