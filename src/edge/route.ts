import type { z } from 'zod'
import type {
  Access,
  JsonOperation,
  Operation,
  RawOperation,
  StreamOperation,
  UploadOperation,
} from '#contract/operation.ts'
import type { Principal } from '#contract/principal.ts'
import type { Role } from '#contract/roles.ts'
import type { Format } from './negotiate.ts'

/** How a call arrived, as Activity shows it. */
export type Via = 'api' | 'cli' | 'mcp'

/** What is known of a request before anyone looks at its token. */
export type RequestInfo = {
  /** The end client's, through trusted proxies and our own services. */
  readonly clientAddress: string
  readonly requestId: string
  readonly via: Via
  /** Came straight from a loopback or private address, through no proxy. */
  readonly direct: boolean
}

export type ServiceFetch = (request: Request, info: RequestInfo) => Promise<Response>

/** A caller in an organization: what most handlers need. */
export type Member = Principal & { org_id: string; role: Role }

type PrincipalOf<A extends Access> = A extends 'public' | 'operator'
  ? null
  : A extends { role: null }
    ? Principal
    : Member

export type Context<P = Principal | null> = RequestInfo & {
  readonly principal: P
  readonly request: Request
  /** How the answer will be written. */
  readonly format: Format
  readonly signal: AbortSignal
}

/** The context of one request. A class, so that the signal costs nothing until somebody asks for it. */
export class RequestContext implements Context {
  readonly clientAddress: string
  readonly requestId: string
  readonly via: Via
  readonly direct: boolean
  readonly principal: Principal | null
  readonly request: Request
  readonly format: Format

  constructor(info: RequestInfo, principal: Principal | null, request: Request, format: Format) {
    this.clientAddress = info.clientAddress
    this.requestId = info.requestId
    this.via = info.via
    this.direct = info.direct
    this.principal = principal
    this.request = request
    this.format = format
  }

  get signal(): AbortSignal {
    return this.request.signal
  }
}

type ContextOf<T extends Operation> = Context<PrincipalOf<T['access']>>
type Input<T extends Operation> = z.output<T['input']>

export type Route =
  | { op: JsonOperation; answer: (input: unknown, context: Context) => Promise<unknown> }
  | { op: StreamOperation; answer: (input: unknown, context: Context) => AsyncIterable<unknown> }
  | {
      op: UploadOperation
      answer: (input: unknown, context: Context, body: AsyncIterable<Uint8Array>) => Promise<unknown>
    }
  | { op: RawOperation; answer: (input: unknown, context: Context) => Promise<Response> }

export type RouteOf<K extends Operation['kind']> = Extract<Route, { op: { kind: K } }>

type Answer<T extends Operation> = T extends JsonOperation
  ? (input: Input<T>, context: ContextOf<T>) => Promise<z.input<T['output']>>
  : T extends StreamOperation
    ? (input: Input<T>, context: ContextOf<T>) => AsyncIterable<z.input<T['event']>>
    : T extends UploadOperation
      ? (input: Input<T>, context: ContextOf<T>, body: AsyncIterable<Uint8Array>) => Promise<z.input<T['output']>>
      : (input: Input<T>, context: ContextOf<T>) => Promise<Response>

/** Ties an operation to the function that answers it. The one cast of the edge: the gate keeps what the types promise. */
export function route<T extends Operation>(op: T, answer: Answer<T>): Route {
  return { op, answer } as unknown as Route
}
