import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#contract/core/client.ts'
import { listSlimSources } from '#contract/data-sources/sources.ts'
import { createHops } from '#edge/credentials/hop.ts'
import type { RequestInfo, ServiceFetch } from '#edge/route/route.ts'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { sql } from '#lib/db/sql.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { testClock } from '#lib/time/clock.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { localNeighbour, remoteNeighbour } from './neighbours.ts'

const INFO: RequestInfo = { clientAddress: '203.0.113.9', requestId: 'req_1', via: 'mcp', direct: true }

describe('calls between services', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database?.[Symbol.asyncDispose]())

  const answering: ServiceFetch = async () => Response.json({ items: [], next_cursor: null })
  const hops = createHops('ab'.repeat(32), testClock())
  const openStreams = new OpenStreams()

  it.each([
    ['in the same process', () => localNeighbour(() => answering)],
    [
      'over the network',
      () => remoteNeighbour('http://127.0.0.1:9', { send: createOperatorFetch(), hops, openStreams }),
    ],
  ])('inside a transaction fails at once and rolls it back, %s', async (_, neighbour) => {
    const client = createClient({ baseUrl: 'http://svc', fetch: (request) => neighbour()(request, INFO) })
    await database.db.query(sql`create table if not exists public.kept (n int)`)
    const misuse = database.db.tx(async (tx) => {
      await tx.query(sql`insert into public.kept values (1)`)
      await client.call(listSlimSources, {})
    })
    await expect(misuse).rejects.toThrow('inside a transaction: do it before or after')
    expect(await database.db.query(sql`select n from public.kept`)).toEqual([])
  })

  it('an answer keeps its body while it waits to be read, whatever is collected meanwhile', async () => {
    const held: ServerResponse[] = []
    const server = createServer((_, outgoing) => {
      outgoing.write('first, ')
      held.push(outgoing)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await using send = createOperatorFetch()
    const { port } = server.address() as AddressInfo
    const response = await remoteNeighbour(`http://127.0.0.1:${port}/`, { send, hops, openStreams })(
      new Request('http://door/'),
      INFO,
    )
    await collectGarbage()
    held[0]!.end('last')
    expect(await response.text()).toBe('first, last')
    server.close()
  })

  it('a reader that disconnects aborts the call to the other service', async () => {
    const left = Promise.withResolvers<void>()
    const server = createServer((_, outgoing) => {
      outgoing.on('close', () => left.resolve()).write('first, ')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await using send = createOperatorFetch()
    const { port } = server.address() as AddressInfo
    const response = await remoteNeighbour(`http://127.0.0.1:${port}/`, { send, hops, openStreams })(
      new Request('http://door/'),
      INFO,
    )
    await response.body!.cancel()
    await left.promise
    server.close()
  })

  it('forwarding headers of a client are not passed on; our own signed header is', async () => {
    const seen: Record<string, string | string[] | undefined>[] = []
    const server = createServer((incoming, outgoing) => {
      seen.push({ ...incoming.headers, url: incoming.url })
      outgoing.setHeader('set-cookie', ['a=1', 'b=2']).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await using send = createOperatorFetch()
    const { port } = server.address() as AddressInfo
    const neighbour = remoteNeighbour(`http://127.0.0.1:${port}/`, { send, hops, openStreams })
    const headers = {
      'x-forwarded-for': '6.6.6.6',
      'x-svc-hop': 'v1.forged',
      authorization: 'Bearer x',
      te: 'trailers',
    }
    const response = await neighbour(new Request('http://door/api/v1/orgs?a=%20b', { headers }), INFO)
    server.close()
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(seen[0]).toMatchObject({ authorization: 'Bearer x', url: '/api/v1/orgs?a=%20b' })
    expect(seen[0]).not.toHaveProperty('x-forwarded-for')
    const hop = seen[0]!['x-svc-hop'] as string
    expect(hops.verify(hop, 'GET', 'http://any/api/v1/orgs?a=%20b')).toEqual({ ...INFO, direct: false })
  })
})

/** Runs the collector several times, because finalizers run in later turns of the event loop. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 6; turn++) {
    collect()
    await nextTurn()
  }
}
