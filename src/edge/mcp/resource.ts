import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import type { JsonOperation } from '#contract/core/operation.ts'
import type { Context } from '../route/route.ts'

/** A resource of an endpoint that clients can read and subscribe to. */
export type McpResource = {
  readonly info: Resource
  readonly template: ResourceTemplateType
  /** The operation that reads it, whose scope agents need. */
  readonly op: JsonOperation
  /** Whether the address is one of the resource. */
  readonly has: (uri: string) => boolean
  readonly read: (uri: string, context: Context) => Promise<unknown>
  /** Resolves when the place in the resource is fixed, so that no later change is missed. Throws if the caller is refused. */
  readonly follow: (uri: string, context: Context, signal: AbortSignal) => Promise<FollowedResource>
}

export type FollowedResource = AsyncDisposable & {
  /** The `_meta` of each notification of a change, until the signal is aborted. Throws if the caller is refused. */
  readonly updates: AsyncIterable<Record<string, unknown>>
}
