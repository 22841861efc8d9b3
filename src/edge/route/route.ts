import type { z } from 'zod'
import type { ServiceError } from '#contract/core/errors.ts'
import type {
  Access,
  JsonOperation,
  Operation,
  RawOperation,
  StreamOperation,
  UploadOperation,
} from '#contract/core/operation.ts'
import type { Principal } from '#contract/core/principal.ts'
import type { Role } from '#contract/core/roles.ts'
import type { Format } from '../format/negotiate.ts'

/** The kind of client that made a call, as Activity shows it. */
export type Via = 'api' | 'cli' | 'mcp'

/** Facts about a request that do not depend on its token. */
export type RequestInfo = {
  /** The end client's address, as trusted proxies and our own services report it. */
  readonly clientAddress: string
  readonly requestId: string
  readonly via: Via
  /** Whether the request came straight from a loopback or private address that is not a trusted proxy's, without forwarding headers. */
  readonly direct: boolean
}

export type ServiceFetch = (request: Request, info: RequestInfo) => Promise<Response>

export type Member = Principal & { org_id: string; role: Role }

/** A member, or a workload of the organization. */
type MemberOrWorkload = Principal & { org_id: string }

type PrincipalOf<A extends Access> = A extends 'public' | 'operator'
  ? null
  : A extends { role: null }
    ? Principal
    : A extends { principals: readonly (infer Kind)[] }
      ? 'workload' extends Kind
        ? MemberOrWorkload
        : Member
      : never

export type Context<P = Principal | null> = RequestInfo & {
  readonly principal: P
  readonly request: Request
  /** The format of the answer. */
  readonly format: Format
  /** Aborted when the caller goes away; for a stream also when it ends, for instance because the process stops. */
  readonly signal: AbortSignal
}

/** The context of one request. A class with a getter, because creating the signal is expensive and rarely needed. */
export class RequestContext implements Context {
  readonly clientAddress: string
  readonly requestId: string
  readonly via: Via
  readonly direct: boolean
  readonly principal: Principal | null
  readonly request: Request
  readonly format: Format
  readonly #signal: AbortSignal | undefined

  constructor(info: RequestInfo, principal: Principal | null, request: Request, format: Format, signal?: AbortSignal) {
    this.clientAddress = info.clientAddress
    this.requestId = info.requestId
    this.via = info.via
    this.direct = info.direct
    this.principal = principal
    this.request = request
    this.format = format
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.request.signal
  }
}

type ContextOf<T extends Operation> = Context<PrincipalOf<T['access']>>
type Input<T extends Operation> = z.output<T['input']>

/** A request that passed the gate and was refused before its handler ran: by a rate limit or by the input rules. */
type Refused = {
  readonly error: ServiceError
  /** The path parameters as they were sent; no schema has checked them. */
  readonly params: Readonly<Record<string, string>>
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly startedMs: number
}

type Hooks<P> = {
  /** Runs before the refusal is answered. An error that it throws replaces the refusal. */
  readonly onRefused?: (refused: Refused, context: Context<P>) => Promise<void>
}

type AnsweredBy =
  | { op: JsonOperation; answer: (input: unknown, context: Context) => Promise<unknown> }
  | { op: StreamOperation; answer: (input: unknown, context: Context) => AsyncIterable<unknown> }
  | {
      op: UploadOperation
      answer: (input: unknown, context: Context, body: AsyncIterable<Uint8Array>) => Promise<unknown>
    }
  | { op: RawOperation; answer: (input: unknown, context: Context) => Promise<Response> }

export type Route = AnsweredBy & Hooks<Principal | null>

export type RouteOf<K extends Operation['kind']> = Extract<Route, { op: { kind: K } }>

type Answer<T extends Operation> = T extends JsonOperation
  ? (input: Input<T>, context: ContextOf<T>) => Promise<z.input<T['output']>>
  : T extends StreamOperation
    ? (input: Input<T>, context: ContextOf<T>) => AsyncIterable<z.input<T['event']>>
    : T extends UploadOperation
      ? (input: Input<T>, context: ContextOf<T>, body: AsyncIterable<Uint8Array>) => Promise<z.input<T['output']>>
      : (input: Input<T>, context: ContextOf<T>) => Promise<Response>

/** Joins an operation with its handler. The cast is safe, because the gate admits only callers of the declared type. */
export function route<T extends Operation>(
  op: T,
  answer: Answer<T>,
  hooks: Hooks<PrincipalOf<T['access']>> = {},
): Route {
  return { op, answer, ...hooks } as unknown as Route
}
