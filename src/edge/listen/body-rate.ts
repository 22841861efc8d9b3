import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '#contract/core/errors.ts'
import { MIN_BODY_RATE } from '#contract/core/limits.ts'
import type { BodyRate, Operation } from '#contract/core/operation.ts'
import { HOP_HEADER } from '../credentials/hop.ts'
import { createRouter, splitUrl } from '../route/router.ts'

export type BodyRateOf = (method: string, path: string) => BodyRate

/** How many times longer a process waits for bytes that another of our processes passes on. */
const HOP_PATIENCE = 2

/** Looks up the minimum rate at which the body of a request must arrive. */
export function createBodyRates(operations: readonly Operation[]): BodyRateOf {
  const own = operations.flatMap(({ method, path, minBodyRate }) =>
    minBodyRate ? [{ method, path, target: minBodyRate }] : [],
  )
  const find = createRouter(own)
  return (method, path) => find(method, path)?.target ?? MIN_BODY_RATE
}

/**
 * Measures one body in windows: each `windowSeconds` of waiting for the client must bring the bytes of a window. A
 * burst at the start therefore buys no pause later. Time in which the server itself does not read is not counted.
 */
export class BodyRateMeter {
  readonly #rate: BodyRate
  #waitedMs = 0
  #lastMs: number
  #bytesBefore: number

  constructor(rate: BodyRate, nowMs: number, bytes: number) {
    this.#rate = rate
    this.#lastMs = nowMs
    this.#bytesBefore = bytes
  }

  /** `bytes` is the total received so far; `isWaiting` tells whether the server would take more. */
  isTooSlow(nowMs: number, bytes: number, isWaiting: boolean): boolean {
    const { bytesPerSecond, windowSeconds } = this.#rate
    if (isWaiting) this.#waitedMs += nowMs - this.#lastMs
    this.#lastMs = nowMs
    if (bytes - this.#bytesBefore >= bytesPerSecond * windowSeconds) {
      this.#waitedMs = 0
      this.#bytesBefore = bytes
    }
    return this.#waitedMs >= windowSeconds * 1000
  }
}

function bodyTooSlow({ bytesPerSecond, windowSeconds }: BodyRate): ServiceError {
  return new ServiceError(
    'BODY_TOO_SLOW',
    `The body arrived at less than ${bytesPerSecond} bytes per second for ${windowSeconds} seconds. Send it again over a faster connection.`,
  )
}

type Body = { outgoing: ServerResponse; since: number; bytesBefore: number; measured?: Measured }
type Measured = { rate: BodyRate; meter: BodyRateMeter }

/**
 * The bodies that are being received. `check` is called from time to time and names those that are too slow. A body's
 * rate is looked up by the first check that finds it, because most bodies have arrived by then.
 */
export class IncomingBodies {
  readonly #bodies = new Map<IncomingMessage, Body>()
  readonly #rateOf: BodyRateOf
  readonly #nowMs: () => number

  constructor(rateOf: BodyRateOf, nowMs: () => number) {
    this.#rateOf = rateOf
    this.#nowMs = nowMs
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#bodies.set(incoming, { outgoing, since: this.#nowMs(), bytesBefore: incoming.socket.bytesRead })
  }

  /** To be called when the answer is ready, whether the body has arrived or not. */
  remove(incoming: IncomingMessage): void {
    this.#bodies.delete(incoming)
  }

  check(onTooSlow: (incoming: IncomingMessage, refusal: ServiceError) => void): void {
    const nowMs = this.#nowMs()
    for (const [incoming, body] of this.#bodies) {
      if (incoming.complete || incoming.destroyed || body.outgoing.headersSent) {
        this.#bodies.delete(incoming)
        continue
      }
      body.measured ??= this.#measure(incoming, body)
      const { rate, meter } = body.measured
      if (meter.isTooSlow(nowMs, incoming.socket.bytesRead, isWaitingFor(incoming))) {
        this.#bodies.delete(incoming)
        onTooSlow(incoming, bodyTooSlow(rate))
      }
    }
  }

  #measure(incoming: IncomingMessage, { since, bytesBefore }: Body): Measured {
    const given = this.#rateOf(incoming.method ?? '', splitUrl(`http://host${incoming.url ?? '/'}`).path)
    const rate = HOP_HEADER in incoming.headers ? withHopPatience(given) : given
    return { rate, meter: new BodyRateMeter(rate, since, bytesBefore) }
  }
}

/** The process that the client is connected to refuses first: an answer from behind it could be lost on the way. */
function withHopPatience(rate: BodyRate): BodyRate {
  return { ...rate, windowSeconds: rate.windowSeconds * HOP_PATIENCE }
}

/** Whether a handler has begun to read and took what arrived. A full buffer means that the server is the slow side. */
function isWaitingFor(incoming: IncomingMessage): boolean {
  return incoming.readableDidRead && incoming.readableLength < incoming.readableHighWaterMark
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}
