import type { z } from 'zod'
import { checkDeprecation, type Deprecation } from './deprecation.ts'
import type { ErrorCode } from './errors.ts'
import type { PrincipalKind } from './principal.ts'
import type { AppPart, Role, Scope } from './roles.ts'

/** Who may call an operation. Only the gate in `edge/credentials/access.ts` reads it. */
export type Access =
  | 'public'
  | 'operator'
  | {
      readonly principals: readonly PrincipalKind[]
      /** Minimum role in the organization. Null if the caller need not belong to one. */
      readonly role: Role | null
      /** Part in the app named by the path parameter `{alias}` that also grants access, without the role. */
      readonly part?: AppPart
      /** Scope that an agent needs; of a list, one is enough. Null means that agents may not call the operation. */
      readonly scope: Scope | readonly Scope[] | null
      /**
       * Whether vendor staff in a support session may call the operation. `refused`: never, whatever their role.
       * `elevated`: a write that elevated sessions may call, because it runs no code, mints no credential, sends
       * nothing to a new place and shows no more data to anybody. A write without it is refused; a read is allowed.
       */
      readonly support?: 'refused' | 'elevated'
      /** Source of the organization. With `path`, the parameter `{org_id}` must be the caller's own organization. */
      readonly org: 'token' | 'path'
    }

export type RateLimit = {
  readonly name: string
  /** `address` is the address of the end client, never that of a calling service. */
  readonly per: 'address' | 'principal' | 'org'
  /**
   * With `failures` the request is answered first and only 4xx answers count; above the limit they become 429. It is
   * for operations that check a credential, so that failures from an address never block valid credentials.
   */
  readonly counts?: 'failures'
  readonly limit: number
  readonly windowSeconds: number
}

/** How many requests may run at once, or streams be open. Operations with one `name` share the count. */
export type Concurrency = { readonly name: string; readonly perPerson: number; readonly perOrg: number }

/** The body of a request must bring this much in each window of waiting for it; otherwise it is refused with 408. */
export type BodyRate = { readonly bytesPerSecond: number; readonly windowSeconds: number }

type Common = {
  /** Unique name that never changes: `area.verb`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A path parameter `{name}` takes its value from the input key of the same name. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** Read-only sessions may not call a `write`. */
  readonly effect: 'read' | 'write'
  readonly bodyLimit: number
  /** The least rate of the body; `MIN_BODY_RATE` if it is not given. */
  readonly minBodyRate?: BodyRate
  readonly rateLimits?: readonly RateLimit[]
  /** Counted in each process. For streams and for reads that keep the server busy. */
  readonly concurrency?: Concurrency
  /** Members that errors also have: `error.message` for OpenAI clients, `error` and `error_description` of OAuth. */
  readonly refusals?: 'openai' | 'oauth'
  /** Set when the operation will be removed. Answers, `/docs`, the OpenAPI document and the client announce it. */
  readonly deprecated?: Deprecation
  /** Error codes besides those that follow from its kind, access, path parameters, effect and rate limits. */
  readonly errors?: readonly ErrorCode[]
}

type Tool = {
  readonly name: string
  readonly description: string
  readonly endpoint: 'platform' | 'notifications'
  /** A write that is safe to repeat. */
  readonly repeatable?: true
  /** It runs code of others, which may change or delete data and reach other services. */
  readonly runsForeignCode?: true
  /** Its service records refused calls, so calls that cannot be sent as they are must reach it too. */
  readonly recordsRefusals?: true
}

export type JsonOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Common & {
  readonly kind: 'json'
  readonly input: I
  readonly output: O
  readonly status?: 200 | 201 | 202
  /** Format of the answer if the caller does not ask for one. */
  readonly format?: 'json' | 'yaml'
  /** Accepts `Idempotency-Key`: a repeated request gets the answer of the first one. */
  readonly idempotent?: boolean
  /** Set if agents can call the operation as an MCP tool. */
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
  /**
   * The rights of the caller are checked again before each event and every 30 seconds, and the stream ends with the refusal. Not for
   * agents, whose credential is valid for one request.
   */
  readonly rechecked?: true
}

export type UploadOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> = Common & {
  readonly kind: 'upload'
  readonly input: I
  readonly output: O
  readonly consumes: readonly string[]
}

/** An operation with its own media types and error bodies: sign-in pages, OAuth, MCP, metrics. */
export type RawOperation<I extends z.ZodObject = z.ZodObject> = Common & {
  readonly kind: 'raw'
  readonly input: I
  readonly consumes?: readonly string[]
  readonly produces: readonly string[]
  /** The input is the JSON body, read and checked before the handler runs. Otherwise the handler reads the body. */
  readonly jsonInput?: true
  /** Only for requests that other parties define: OAuth allows more parameters (RFC 6749 section 4.1.2). */
  readonly ignoresUnknownKeys?: true
}

export type Operation = JsonOperation | StreamOperation | UploadOperation | RawOperation

type Defined<T> = T extends Operation ? T : never

/**
 * Defines an operation. Unknown input keys are refused for all operations here, because ignoring a misspelled filter
 * would return more than the caller asked for.
 */
export function operation<const T extends Operation>(op: Defined<T>): T {
  if (op.kind === 'stream' && op.resumable && !('last_id' in op.input.shape)) {
    throw new Error(`${op.name} is resumable, so its input needs last_id: LastId`)
  }
  if (op.deprecated) checkDeprecation(op.name, op.deprecated)
  return Object.freeze({ ...op, input: op.input.strict() })
}

/** Returns the names of the path parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
}

/** Returns an expression that matches the request paths of an operation. */
export function pathShape(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^/]+')}$`)
}

/** Whether the input of an operation is sent in the query string instead of the body. */
export function inputInQuery(op: Operation): boolean {
  if (op.kind === 'raw') return !op.jsonInput
  return op.method === 'GET' || op.method === 'DELETE' || op.kind === 'upload'
}
