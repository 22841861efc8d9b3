import { expect, it } from 'vitest'
import type { Querier } from '#lib/db/db.ts'
import type { ManagedEngine } from '../engine/engine.ts'
import { findServerFaults } from './faults.ts'
import { createServers } from './servers.ts'

/** A server with 97 connections, whose databases may have so many. */
function setUp(connections: number) {
  const db = { query: async () => [{ server: 'platform', connections, count: 1 }] } as unknown as Querier
  const engine = { name: 'postgres', connectionSlots: async () => 97 } as unknown as ManagedEngine
  const servers = createServers([{ settings: { name: 'platform', state: 'open' }, engine }])
  return findServerFaults({ db, servers }, (error) => expect.unreachable(String(error)))
}

it('OP-03 a server whose owners can take the connections of the platform is reported with both numbers', async () => {
  expect(await setUp(80)).toEqual([
    {
      severity: 'warning',
      text:
        'This Postgres server has 97 connections, but the owners of its managed databases and svc itself can need 110. ' +
        'Raise max_connections, or lower SVC_DATABASE_CONNECTIONS_PER_ORG.',
    },
  ])
})

it('OP-03 a server that has the connections of its owners and of the platform is not reported', async () => {
  expect(await setUp(67)).toEqual([])
})
