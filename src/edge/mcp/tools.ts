import { type McpRequestContext, Server, type Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ERRORS, type ServiceError } from '#contract/core/errors.ts'
import { inputInQuery, type JsonOperation, pathParameters } from '#contract/core/operation.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { inputError, toServiceError } from '../format/problem.ts'
import type { Context } from '../route/route.ts'
import { isGranted } from './granted.ts'
import type { McpCall } from './mcp-call.ts'
import type { ResourceTools } from './resource-tools.ts'
import { ProtocolFault, type ToolAnswer } from './tool-answer.ts'

/** Calls an operation for the agent over the typed client, so that HTTP and MCP behave the same. */
export type CallTool = (op: JsonOperation, input: Record<string, unknown>, context: Context) => Promise<unknown>

type Deps = {
  name: string
  version: string
  operations: readonly JsonOperation[]
  call: CallTool
  /** A resource beside the tools, if the endpoint has one. */
  resource?: ResourceTools | undefined
  /** Returns the error for an agent that was not granted the scope of a tool. */
  scopeMissing: (op: JsonOperation, context: Context) => ServiceError
  onError: (error: unknown) => void
}

const LIST_TTL_MS = 60_000
// https://www.jsonrpc.org/specification#error_object
const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602

export type Tools = {
  readonly info: { readonly name: string; readonly version: string }
  /** Creates the server of one request for the library. There are no sessions. */
  readonly build: (call: McpCall, era: McpRequestContext['era']) => Server
  /** Calls a tool without the library. Throws a ProtocolFault for a JSON-RPC error. */
  readonly call: (name: string, input: Record<string, unknown>, call: McpCall) => Promise<ToolAnswer>
  /** Lets the service of the tool record a call whose arguments are no object. The library answers the call itself. */
  readonly recordMisshapen: (name: string, context: Context) => Promise<void>
  /** Whether the tool may run so long that the client needs signs of life meanwhile. */
  readonly isLong: (name: string) => boolean
}

/** Creates tools from operations. The JSON schemas are generated once and shared by all requests. */
export function createTools(deps: Deps): Tools {
  const rows = deps.operations.map((op) => ({ op, tool: toTool(op) }))
  const byName = new Map(deps.operations.map((op) => [op.tool!.name, op]))
  const info = { name: deps.name, version: deps.version }
  const call: Tools['call'] = async (name, input, mcpCall) => {
    const op = byName.get(name)
    if (!op) throw new ProtocolFault(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 64)}.`)
    return callTool(op, input, mcpCall, deps)
  }
  const build: Tools['build'] = (mcpCall, era) => {
    const { principal } = mcpCall.context
    // Subscriptions of earlier revisions need a session, and there are none.
    const resources = deps.resource && { resources: era === 'modern' ? { subscribe: true } : {} }
    const server = new Server(info, { capabilities: { tools: {}, ...resources } })
    deps.resource?.register(server, mcpCall)
    server.setRequestHandler('tools/list', () => {
      const tools = rows.filter(({ op }) => isGranted(op, principal)).map(({ tool }) => tool)
      return { tools, ttlMs: LIST_TTL_MS, cacheScope: 'private' as const }
    })
    server.setRequestHandler('tools/call', async ({ params }) => {
      mcpCall.onToolCalled()
      return toResult(await call(params.name, params.arguments ?? {}, mcpCall))
    })
    return server
  }
  const recordMisshapen: Tools['recordMisshapen'] = async (name, context) => {
    const op = byName.get(name)
    if (op && isGranted(op, context.principal)) await recordRefusal(op, context, deps).catch(() => undefined)
  }
  return { info, build, call, recordMisshapen, isLong: (name) => byName.get(name)?.tool?.runsForeignCode === true }
}

function toResult({ text, output, isError }: ToolAnswer) {
  const content = [{ type: 'text' as const, text }]
  return isError ? { content, isError } : { content, structuredContent: output! }
}

async function callTool(
  op: JsonOperation,
  input: Record<string, unknown>,
  { context, refuse }: McpCall,
  deps: Deps,
): Promise<ToolAnswer> {
  try {
    if (!isGranted(op, context.principal)) throw deps.scopeMissing(op, context)
    await refuseUnsendable(op, input, context, deps)
    const output = (await deps.call(op, input, context)) as Record<string, unknown>
    return { text: JSON.stringify(output), output, isError: false }
  } catch (error) {
    const refusal = toServiceError(error)
    if (refusal.code === 'INTERNAL') deps.onError(error)
    // A client whose token was refused needs another one, and looks for the challenge in the HTTP response.
    if (refusal.challenge !== undefined) refuse(refusal)
    const text = textOf(refusal, context.requestId)
    if (ERRORS[refusal.code].mcp === 'protocol') throw new ProtocolFault(INVALID_REQUEST, text)
    return { text, isError: true }
  }
}

/**
 * Refuses arguments that cannot be sent as they are: a query string would turn a wrong type into text, and a path
 * parameter that is no text has no path. All others go to the operation's own service, which refuses them in the same
 * words and can record the refusal.
 */
async function refuseUnsendable(
  op: JsonOperation,
  input: Record<string, unknown>,
  context: Context,
  deps: Deps,
): Promise<void> {
  const sendable = !inputInQuery(op) && pathParameters(op.path).every((name) => typeof input[name] === 'string')
  if (sendable) return
  const parsed = op.input.safeParse(input)
  if (parsed.success) return
  await recordRefusal(op, context, deps)
  throw inputError(parsed.error)
}

/**
 * Sends a request that the input rules refuse, without anything of the call, so that the refusal is on record. Throws
 * another refusal than the expected one, such as that of a token that was revoked or of a rate limit.
 */
async function recordRefusal(op: JsonOperation, context: Context, deps: Deps): Promise<void> {
  if (!op.tool?.recordsRefusals) return
  const nothing = Object.fromEntries(pathParameters(op.path).map((name) => [name, '-']))
  try {
    await deps.call(op, { ...nothing, misshapen: true }, context)
  } catch (error) {
    if (toServiceError(error).code !== 'INVALID_REQUEST') throw error
  }
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
  const override = io === 'output' ? shorten : undefined
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', ...(override && { override }) })
  return { ...rest, type: 'object' } as Tool['inputSchema']
}

/** Leaves out what holds for every answer, because each agent reads it, and that answers never get more keys. */
function shorten({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.JSONSchema }): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  const { propertyNames: names } = schema
  if (typeof names === 'object' && Object.keys(names).join() === 'type') delete schema.propertyNames
}
