import { Server, type Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ERRORS, type ServiceError } from '#contract/core/errors.ts'
import { inputInQuery, type JsonOperation, pathParameters } from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { inputError, toServiceError } from '../http/problem.ts'
import type { Context } from '../http/route.ts'
import type { McpCall } from './server.ts'

/** Calls an operation for the agent over the typed client, so that HTTP and MCP behave the same. */
export type CallTool = (op: JsonOperation, input: Record<string, unknown>, context: Context) => Promise<unknown>

type Deps = {
  name: string
  version: string
  operations: readonly JsonOperation[]
  call: CallTool
  /** Returns the error for an agent that was not granted the scope of a tool. */
  scopeMissing: (op: JsonOperation, context: Context) => ServiceError
  onError: (error: unknown) => void
}

const LIST_TTL_MS = 60_000
// https://www.jsonrpc.org/specification#error_object
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602

/** Creates MCP servers whose tools are operations. The JSON schemas are generated once and shared by all requests. */
export function createToolServer(deps: Deps): (call: McpCall) => Server {
  const rows = deps.operations.map((op) => ({ op, tool: toTool(op) }))
  const byName = new Map(deps.operations.map((op) => [op.tool!.name, op]))
  const info = { name: deps.name, version: deps.version }
  return (call) => {
    const { principal } = call.context
    const server = new Server(info, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => {
      const tools = rows.filter(({ op }) => isGranted(op, principal)).map(({ tool }) => tool)
      return { tools, ttlMs: LIST_TTL_MS, cacheScope: 'private' as const }
    })
    server.setRequestHandler('tools/call', async ({ params }) => {
      const op = byName.get(params.name)
      if (!op) throw new ProtocolFault(INVALID_PARAMS, `Unknown tool: ${params.name.slice(0, 64)}.`)
      return callTool(op, params.arguments ?? {}, call, deps)
    })
    return server
  }
}

/** Agents may use the tools of their granted scopes; users with their own token all of them. */
function isGranted(op: JsonOperation, principal: Principal | null): boolean {
  if (principal?.kind !== 'agent') return true
  const scope = typeof op.access === 'string' ? null : op.access.scope
  return scope !== null && [scope].flat().some((one) => principal.scopes.includes(one))
}

/** A JSON-RPC error, for calls that a model cannot correct with other arguments. */
class ProtocolFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

async function callTool(op: JsonOperation, input: Record<string, unknown>, { context, refuse }: McpCall, deps: Deps) {
  try {
    if (!isGranted(op, context.principal)) throw deps.scopeMissing(op, context)
    refuseUnsendable(op, input)
    const output = (await deps.call(op, input, context)) as Record<string, unknown>
    return { content: [{ type: 'text' as const, text: JSON.stringify(output) }], structuredContent: output }
  } catch (error) {
    const refusal = toServiceError(error)
    if (refusal.code === 'INTERNAL') deps.onError(error)
    // A client whose token was refused needs another one, and looks for the challenge in the HTTP response.
    if (refusal.challenge !== undefined) refuse(refusal)
    const text = textOf(refusal, context.requestId)
    if (ERRORS[refusal.code].mcp === 'protocol') throw new ProtocolFault(INVALID_REQUEST, text)
    return { isError: true, content: [{ type: 'text' as const, text }] }
  }
}

/**
 * Refuses arguments that cannot be sent as they are: a query string would turn a wrong type into text, and a path
 * parameter that is no text has no path. All others go to the operation's own service, which refuses them in the same
 * words and can record the refusal.
 */
function refuseUnsendable(op: JsonOperation, input: Record<string, unknown>): void {
  const sendable = !inputInQuery(op) && pathParameters(op.path).every((name) => typeof input[name] === 'string')
  if (sendable) return
  const parsed = op.input.safeParse(input)
  if (!parsed.success) throw inputError(parsed.error)
}

/** The text that a model needs to correct its call: the code, the message, and how long to wait. */
function textOf(error: ServiceError, requestId: string): string {
  const wait = error.retryAfterSeconds === undefined ? '' : ` Wait ${secondsText(Math.ceil(error.retryAfterSeconds))}.`
  const id = ERRORS[error.code].status >= 500 ? ` Request id: ${requestId}.` : ''
  return `${error.code}: ${error.message}${wait}${id}`
}

function toTool(op: JsonOperation): Tool {
  const readOnly = op.effect === 'read'
  const foreign = op.tool!.runsForeignCode === true
  return {
    name: op.tool!.name,
    title: op.summary,
    description: op.tool!.description,
    inputSchema: objectSchema(op.input, 'input'),
    outputSchema: objectSchema(op.output, 'output'),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: foreign,
      idempotentHint: readOnly || op.tool!.repeatable === true,
      openWorldHint: foreign,
    },
  }
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return { ...rest, type: 'object' } as Tool['inputSchema']
}
