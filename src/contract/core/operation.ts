import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { PrincipalKind } from './principal.ts'
import type { AppPart, Role, Scope } from './roles.ts'

/** Who may call. Every operation says it; the gate in `edge/credentials/access.ts` is the only reader. */
export type Access =
  | 'public'
  | 'operator'
  | {
      readonly principals: readonly PrincipalKind[]
      /** Least role in the organization; null when the caller need not be in one. */
      readonly role: Role | null
      /** A part in the app named by the path's `{alias}` that is as good as the role. */
      readonly part?: AppPart
      /** What a connected agent must have been granted, one of a list; null means no agent may call it. */
      readonly scope: Scope | readonly Scope[] | null
      /** `refused`: not in a support session, whatever its role. */
      readonly support?: 'refused'
      /** Where the organization comes from. With `path` the path parameter is `{org_id}` and must be the caller's own. */
      readonly org: 'token' | 'path'
    }

export type RateLimit = {
  readonly name: string
  /** `address` is the end client's, never a calling service's. */
  readonly per: 'address' | 'principal' | 'org'
  /**
   * `failures`: the request is answered first, and only 4xx answers are counted and, past the limit, become 429. For
   * operations that look a credential up: a good one works however many bad ones came from the same address.
   */
  readonly counts?: 'failures'
  readonly limit: number
  readonly windowSeconds: number
}

type Common = {
  /** Stable and unique: `area.verb`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A path parameter `{name}` is filled from the input key of the same name. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** A `write` is refused to read-only sessions. */
  readonly effect: 'read' | 'write'
  readonly bodyLimit: number
  readonly rateLimits?: readonly RateLimit[]
  /** `openai`: refusals carry `error.message` too, where clients made for OpenAI look for it. */
  readonly refusals?: 'openai'
  /** Refusals of its own, beyond those that follow from its kind and access. */
  readonly errors?: readonly ErrorCode[]
}

type Tool = {
  readonly name: string
  readonly description: string
  readonly endpoint: 'platform' | 'notifications'
  /** A write that may be repeated: twice is as good as once. */
  readonly repeatable?: true
}

export type JsonOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Common & {
  readonly kind: 'json'
  readonly input: I
  readonly output: O
  readonly status?: 200 | 201 | 202
  /** What is answered when the caller asks for no format. */
  readonly format?: 'json' | 'yaml'
  /** Takes `Idempotency-Key`: the answer of the first request is given to its repetitions. */
  readonly idempotent?: boolean
  /** Present when agents may call it over MCP. */
  readonly tool?: Tool
}

export type StreamOperation<I extends z.ZodObject = z.ZodObject, E extends z.ZodType = z.ZodType> = Common & {
  readonly kind: 'stream'
  readonly input: I
  readonly event: E
  /**
   * A broken connection can be continued: events carry an `id`, and the input `last_id` (or `Last-Event-ID`) starts
   * the stream after that event. The typed client then reconnects by itself.
   */
  readonly resumable?: true
}

export type UploadOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Common & {
  readonly kind: 'upload'
  readonly input: I
  readonly output: O
  readonly consumes: readonly string[]
}

/** Own media types and error shape: sign-in pages, OAuth, MCP, metrics. */
export type RawOperation<I extends z.ZodObject = z.ZodObject> = Common & {
  readonly kind: 'raw'
  readonly input: I
  readonly consumes?: readonly string[]
  readonly produces: readonly string[]
  /** Only where others choose what to send: an OAuth answer may carry more (RFC 6749 section 4.1.2). */
  readonly ignoresUnknownKeys?: true
}

export type Operation = JsonOperation | StreamOperation | UploadOperation | RawOperation

type Defined<T> = T extends Operation ? T : never

/**
 * Defines an operation. Unknown keys are refused at its top level here, so that no definition can forget it:
 * a filter that is silently dropped widens an answer.
 */
export function operation<const T extends Operation>(op: Defined<T>): T {
  if (op.kind === 'stream' && op.resumable && !('last_id' in op.input.shape)) {
    throw new Error(`${op.name} is resumable, so its input needs last_id: LastId`)
  }
  return Object.freeze({ ...op, input: op.input.strict() })
}

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

/** Matches the paths an operation answers to. */
export function pathShape(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}

/** Methods whose input travels in the query string. */
export function inputInQuery(op: Operation): boolean {
  return op.method === 'GET' || op.method === 'DELETE' || op.kind === 'upload' || op.kind === 'raw'
}
