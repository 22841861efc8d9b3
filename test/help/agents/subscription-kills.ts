import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminCreateOrg, adminCreateToken } from '#contract/auth/auth.ts'
import { createClient } from '#contract/core/client.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { emit } from '#ports/emit.ts'
import { readSettings, toConfig } from '../../../src/server/config/config.ts'
import { exampleEvent } from '../deliveries/example-events.ts'
import { type ServerProcess, startProcess, untilReady } from '../programs/processes.ts'
import { seeded } from '../seeded.ts'
import { testEnvironment } from '../system.ts'
import { until } from '../until.ts'
import { type Follower, startFollower } from './follower.ts'

type Options = {
  readonly kills: number
  /** Spread over the kills. */
  readonly events: number
  readonly clients: number
  /** Sent without a kill, one after the other was heard by all. */
  readonly timedEvents: number
  readonly seed: number
}

type Report = {
  readonly seed: number
  readonly kills: number
  readonly events: number
  readonly clients: number
  readonly connections: number
  /** Clients that missed a notification, saw one twice, or saw them in another order than the inbox has them. */
  readonly wrong: number
  /** From the commit of the event to the handler of the client, while nothing is killed. */
  readonly latency_ms: { readonly p50: number; readonly p99: number; readonly max: number }
}

/**
 * Emits events for one person, whose agents listen over the official client, and kills the server after random numbers
 * of them. Events are also emitted while no server runs.
 */
export async function subscriptionKills(on: { db: Db; databaseUrl: string }, options: Options): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-subscriptions-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { ...testEnvironment(on.databaseUrl, dataDir), PORT: '0' }
  const random = seeded(options.seed)
  let server = await startServer(env)
  stack.defer(() => server[Symbol.asyncDispose]())
  const person = await createPerson(server.url, toConfig(readSettings(env)).secrets.operatorToken!)
  const followers = Array.from({ length: options.clients }, () => startFollower(() => server.url, person.token))
  stack.defer(async () => void (await Promise.all(followers.map((follower) => follower[Symbol.asyncDispose]()))))
  let emitted = 0
  const emitNext = async () => {
    emitted += 1
    const event = { ...exampleEvent('org.support_access.started', person.org_id), occurred_at: new Date(emitted) }
    await on.db.tx((tx) => emit(tx, event))
  }
  const emitUpTo = async (count: number) => {
    for (let left = count - emitted; left > 0; left--) await emitNext()
  }
  for (let kill = 0; kill < options.kills; kill++) {
    const upTo = Math.round((options.events * (kill + 1)) / options.kills)
    const beforeRound = emitted
    const beforeKill = emitted + Math.floor(random() * (upTo - emitted + 1))
    await emitUpTo(beforeKill)
    // The kill comes while clients receive: the first has got this many, and others may still connect.
    const quota = beforeRound + Math.floor(random() * (beforeKill - beforeRound + 1))
    await until(() => followers.some(({ heard }) => heard.length >= quota))
    const exited = once(server.child, 'exit')
    server.child.kill('SIGKILL')
    await exited
    await emitUpTo(upTo)
    server = await startServer(env)
  }
  const hasAll = () => followers.every(({ heard }) => heard.length >= emitted)
  await until(hasAll)
  const latencies = await timeEvents(followers, options.timedEvents, emitNext, hasAll)
  const rows = await on.db.query<{ id: string }>(sql`
    select id from notifications.inbox where user_id = ${person.user_id} order by id`)
  const expected = rows.map(({ id }) => id).join()
  return {
    seed: options.seed,
    kills: options.kills,
    events: rows.length,
    clients: options.clients,
    connections: followers.reduce((sum, { connections }) => sum + connections(), 0),
    wrong: followers.filter(({ heard }) => heard.map(({ id }) => id).join() !== expected).length,
    latency_ms: summary(latencies),
  }
}

async function startServer(env: Parameters<typeof startProcess>[0]): Promise<ServerProcess> {
  const server = await startProcess(env)
  await untilReady(server)
  return server
}

/** An owner without colleagues, who is told of every support session. */
async function createPerson(url: string, operatorToken: string) {
  const operator = createClient({
    baseUrl: url,
    fetch,
    headers: () => ({ authorization: `Bearer ${operatorToken}` }),
  })
  const { id: org_id } = await operator.call(adminCreateOrg, { name: 'Followed' })
  const input = { org_id, email: 'owner@example.com', role: 'owner', name: 'agents' } as const
  return operator.call(adminCreateToken, input)
}

async function timeEvents(
  followers: readonly Follower[],
  count: number,
  emitNext: () => Promise<void>,
  hasAll: () => boolean,
): Promise<number[]> {
  const latencies: number[] = []
  for (let n = 0; n < count; n++) {
    await emitNext()
    const committedMs = performance.now()
    await until(hasAll)
    latencies.push(...followers.map(({ heard }) => Math.max(0, heard.at(-1)!.atMs - committedMs)))
  }
  return latencies
}

function summary(values: readonly number[]): Report['latency_ms'] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
