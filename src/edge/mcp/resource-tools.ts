import type { Server } from '@modelcontextprotocol/server'
import type { ServiceError } from '#contract/core/errors.ts'
import type { JsonOperation } from '#contract/core/operation.ts'
import { toServiceError } from '../format/problem.ts'
import type { Context } from '../route/route.ts'
import { isGranted } from './granted.ts'
import type { McpCall } from './mcp-call.ts'
import type { FollowedResource, McpResource } from './resource.ts'
import { ProtocolFault } from './tool-answer.ts'

/** A resource with the check of the caller's scope, and with the errors of the protocol. */
export type ResourceTools = {
  readonly has: McpResource['has']
  readonly follow: (uri: string, call: McpCall, signal: AbortSignal) => Promise<FollowedResource>
  /** Lets the server of one request list and read the resource. */
  readonly register: (server: Server, call: McpCall) => void
}

type Deps = {
  scopeMissing: (op: JsonOperation, context: Context) => ServiceError
  onError: (error: unknown) => void
}

const LIST_TTL_MS = 60_000
// https://www.jsonrpc.org/specification#error_object
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

export function createResourceTools(resource: McpResource, { scopeMissing, onError }: Deps): ResourceTools {
  const { info, template, op, has } = resource
  const admit = ({ context }: McpCall) => {
    if (!isGranted(op, context.principal)) throw scopeMissing(op, context)
  }
  const read = async (uri: string, call: McpCall): Promise<string> => {
    if (!has(uri)) throw new ProtocolFault(INVALID_PARAMS, `Resource not found: ${uri.slice(0, 200)}`)
    try {
      admit(call)
      return JSON.stringify(await resource.read(uri, call.context))
    } catch (error) {
      const refusal = toServiceError(error)
      if (refusal.code === 'INTERNAL') onError(error)
      // A client whose token was refused needs another one, and looks for the challenge in the HTTP response.
      if (refusal.challenge !== undefined) call.refuse(refusal)
      throw new ProtocolFault(refusal.code === 'INVALID_REQUEST' ? INVALID_PARAMS : INTERNAL_ERROR, refusal.message)
    }
  }
  return {
    has,
    follow: async (uri, call, signal) => {
      admit(call)
      try {
        return await resource.follow(uri, call.context, signal)
      } catch (error) {
        const refusal = toServiceError(error)
        if (refusal.code === 'INVALID_REQUEST') throw new ProtocolFault(INVALID_PARAMS, refusal.message)
        throw error
      }
    },
    register: (server, call) => {
      const ifGranted = <T>(items: T[]): T[] => (isGranted(op, call.context.principal) ? items : [])
      const list = { ttlMs: LIST_TTL_MS, cacheScope: 'private' as const }
      server.setRequestHandler('resources/list', () => ({ resources: ifGranted([info]), ...list }))
      server.setRequestHandler('resources/templates/list', () => ({
        resourceTemplates: ifGranted([template]),
        ...list,
      }))
      server.setRequestHandler('resources/read', async ({ params: { uri } }) => ({
        contents: [{ uri, mimeType: 'application/json', text: await read(uri, call) }],
        ttlMs: 0,
        cacheScope: 'private' as const,
      }))
    },
  }
}
