import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#contract/core/client.ts'
import type { Principal } from '#contract/core/principal.ts'
import { ackNotification, listInbox } from '#contract/notifications/inbox.ts'
import { newId } from '#edge/ids.ts'
import { createEdge } from '#edge/serve/create-edge.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { ackRoute } from './ack.ts'
import { listRoute } from './list.ts'
import { addToInbox } from './store.ts'

const ORG = newId('org')
const USER = newId('usr')
const INFO = { clientAddress: '198.51.100.1', requestId: 'req_1', via: 'api', direct: false } as const

/** No entry of this file is about an app. */
const NO_APPS = {
  member: () => Promise.reject(new Error('not expected')),
  partHolders: () => Promise.reject(new Error('not expected')),
  find: () => Promise.reject(new Error('not expected')),
}

describe('NO-13 who may read an inbox', () => {
  let test: TestDatabase
  let id: string
  beforeAll(async () => {
    test = await openTestDatabase()
    const event = {
      event_id: newId('evt'),
      event_type: 'deploy.failed',
      subject: 'x',
      occurred_at: new Date(0),
      org_id: ORG,
      app: null,
      link: '/',
    } as const
    id = (await test.db.tx((tx) => addToInbox(tx, event, [USER])))[0]!.id
  })
  afterAll(() => test?.[Symbol.asyncDispose]())

  /** The caller as the auth service answers it. */
  function as(over: Partial<Principal>) {
    const clock = testClock()
    const baseUrl = () => 'https://svc.test'
    const principal: Principal = {
      kind: 'user',
      id: 'x',
      user_id: USER,
      org_id: ORG,
      role: 'viewer',
      scopes: [],
      expires_at: null,
      ...over,
    }
    const edge = createEdge(
      [listRoute({ db: test.db, people: NO_APPS, apps: NO_APPS, baseUrl }), ackRoute({ db: test.db, clock, baseUrl })],
      {
        service: 'test',
        resolve: async () => principal,
        operatorToken: undefined,
        db: test.db,
        kv: openMemoryStore(clock),
        sealer: createSealer(['ab'.repeat(32)]),
        clock,
        log: createLog('silent'),
        metrics: createMetrics({ processMetrics: false }),
      },
    )
    const client = createClient({
      baseUrl: 'http://test',
      fetch: (request) => edge(request, INFO),
      headers: () => ({ authorization: 'Bearer x' }),
    })
    const words = (error: { status: number; message: string }) => `${error.status} ${error.message}`
    return {
      list: client.call(listInbox, {}).then(({ items }) => `${items.length} shown`, words),
      ack: client.call(ackNotification, { id }).then(({ read_at }) => `read ${read_at !== null}`, words),
    }
  }

  const NO_AGENT = {
    read: '403 This operation needs the scope notifications:read.',
    ack: '403 This operation needs the scope notifications:ack.',
  }
  const KIND = (kind: string) => `403 Callers of kind ${kind} may not use this operation.`

  it.each<[string, Partial<Principal>, string, string]>([
    ['a person', {}, '1 shown', 'read true'],
    ['an API token', { kind: 'api_token' }, '1 shown', 'read true'],
    ['an agent with both scopes', agent('notifications:read', 'notifications:ack'), '1 shown', 'read true'],
    ['an agent that may read', agent('notifications:read'), '1 shown', NO_AGENT.ack],
    ['an agent that may ack', agent('notifications:ack'), NO_AGENT.read, 'read true'],
    ['an agent for data', agent('datasources:read', 'datasources:query'), NO_AGENT.read, NO_AGENT.ack],
    [
      'another person’s agent',
      { ...agent('notifications:read', 'notifications:ack'), user_id: newId('usr') },
      '0 shown',
      '404 No such notification.',
    ],
    [
      'a read-only session',
      { read_only: true },
      '1 shown',
      '403 This support session is read-only. Elevate it to make changes.',
    ],
    [
      'a caller without a person',
      { user_id: null },
      '403 Only a person has notifications.',
      '403 Only a person has notifications.',
    ],
    [
      'a person in no organization',
      { org_id: null, role: null },
      '403 You do not belong to an organization. Join or create one first.',
      '403 You do not belong to an organization. Join or create one first.',
    ],
    ['a workload', { kind: 'workload', user_id: null }, KIND('workload'), KIND('workload')],
    ['a run', { kind: 'run', user_id: null }, KIND('run'), KIND('run')],
  ])('%s', async (_, over, listed, acked) => {
    const { list, ack } = as(over)
    expect([await list, await ack]).toEqual([listed, acked])
  })
})

function agent(...scopes: Principal['scopes']): Partial<Principal> {
  return { kind: 'agent', scopes }
}
