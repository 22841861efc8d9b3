import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'

/** A receiver of webhooks on loopback that is slow, refuses some requests and breaks some connections. */
export type Sink = AsyncDisposable & {
  readonly port: number
  /** Requests that arrived, whatever came of them. */
  readonly requests: number
  /** Connections that the sink itself broke: their senders cannot know whether the message was accepted. */
  readonly resets: number
  /** How often each notification was accepted, by its id. */
  readonly accepted: ReadonlyMap<string, number>
  /** From now on every request is answered with 200. */
  beReliable(): void
}

const SHARES = { resetBeforeReading: 0.01, refused: 0.05, resetAfterReading: 0.01 }
const MAX_DELAY_MS = 40

export async function startSink(random: () => number): Promise<Sink> {
  const accepted = new Map<string, number>()
  const counts = { requests: 0, resets: 0 }
  let isReliable = false
  const reset = (request: IncomingMessage) => {
    counts.resets += 1
    request.socket.resetAndDestroy()
  }
  const accept = (body: string) => {
    for (const { id } of JSON.parse(body) as { id: string }[]) accepted.set(id, (accepted.get(id) ?? 0) + 1)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    counts.requests += 1
    const draw = isReliable ? 1 : random()
    if (draw < SHARES.resetBeforeReading) return reset(request)
    const body = await text(request)
    await wait(random() * MAX_DELAY_MS)
    if (draw < SHARES.resetBeforeReading + SHARES.refused) return void response.writeHead(503).end()
    accept(body)
    if (draw < SHARES.resetBeforeReading + SHARES.refused + SHARES.resetAfterReading) return reset(request)
    await wait(random() * MAX_DELAY_MS)
    response.end()
  }
  const server = createServer((request, response) => {
    // A request that its sender broke off before the end of the body is not accepted.
    answer(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    get requests() {
      return counts.requests
    },
    get resets() {
      return counts.resets
    },
    accepted,
    beReliable: () => {
      isReliable = true
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
