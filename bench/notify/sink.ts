import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seeded } from '#test/seeded.ts'
import { serveCalls } from './children.ts'

/** Receiver of webhooks. Counts what arrives, and breaks connections where it is told to. */
export type Faults = {
  /** Share of requests whose connection is reset instead of an answer. */
  unanswered: number
  /** Share of answers after which the connection is closed without notice. */
  closedAfter: number
}
export type Arrivals = { requests: number; notifications: number; duplicates: number; broken: number; lastAt: number }

const NO_FAULTS: Faults = { unanswered: 0, closedAfter: 0 }
const RANDOM_SEED = 7

let faults = NO_FAULTS
let random = seeded(RANDOM_SEED)
let counts: Arrivals = noArrivals()
const ids = new Set<string>()
/** Time of arrival by the alias of the app, which is unique to an event where latency is measured. */
const arrivedAt = new Map<string, number>()
let goal: { notifications: number; done: PromiseWithResolvers<Arrivals> } | undefined

function noArrivals(): Arrivals {
  return { requests: 0, notifications: 0, duplicates: 0, broken: 0, lastAt: 0 }
}

function receive(body: string): void {
  counts.requests += 1
  counts.lastAt = Date.now()
  for (const { id, app } of JSON.parse(body) as { id: string; app: string }[]) {
    counts.notifications += 1
    if (ids.has(id)) counts.duplicates += 1
    ids.add(id)
    arrivedAt.set(app, counts.lastAt)
  }
  if (goal && counts.notifications >= goal.notifications) goal.done.resolve(counts)
}

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  receive(body)
  const draw = faults === NO_FAULTS ? 1 : random()
  if (draw < faults.unanswered) {
    counts.broken += 1
    request.socket.resetAndDestroy()
  } else if (draw < faults.unanswered + faults.closedAfter) {
    counts.broken += 1
    response.end(() => request.socket.destroy())
  } else response.end()
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => answer(request, response, body))
  request.on('error', () => {})
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

serveCalls({
  port: () => (server.address() as AddressInfo).port,
  /** Forgets all that arrived. */
  begin: (given: Faults | undefined) => {
    faults = given ?? NO_FAULTS
    random = seeded(RANDOM_SEED)
    counts = noArrivals()
    ids.clear()
    arrivedAt.clear()
    goal = undefined
  },
  /** Resolves when so many notifications have arrived since `begin`. */
  arrived: (notifications: number) => {
    goal = { notifications, done: Promise.withResolvers() }
    if (counts.notifications >= notifications) return counts
    return goal.done.promise
  },
  counts: () => counts,
  arrivedAt: () => [...arrivedAt],
})
