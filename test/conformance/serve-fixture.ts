import { platformMcp } from '#contract/mcp.ts'
import { createHops } from '#edge/credentials/hop.ts'
import { type Listener, listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import { createMcpEndpoint } from '#edge/mcp/server.ts'
import { route } from '#edge/route/route.ts'
import { createEdge } from '#edge/serve/create-edge.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { systemClock } from '#lib/time/clock.ts'
import { MCP_VIEWER } from '#test/agents/mcp-both-ways.ts'
import { createHostCheck } from '../../src/server/areas/mcp/host-check.ts'
import { fixtureServer } from './fixture.ts'

const KEY = '0'.repeat(64)
/** The fixture behind the product's listener, edge, Host check and transport; everybody may call. */
export async function serveFixture(db: Db): Promise<Listener> {
  const clock = systemClock
  const onError = () => undefined
  const endpoint = createMcpEndpoint({ tools: { build: fixtureServer }, onError })
  const checkHost = createHostCheck({ publicUrls: [], isPassedOn: () => false })
  const fetch = createEdge([route(platformMcp, (_, context) => endpoint(context))], {
    service: 'fixture',
    resolve: async (request) => {
      checkHost(request)
      return MCP_VIEWER
    },
    operatorToken: undefined,
    db,
    kv: openMemoryStore(clock),
    sealer: createSealer([KEY]),
    clock,
    log: createLog('silent'),
    metrics: createMetrics({ processMetrics: false }),
  })
  const readInfo = createInfoReader({ trustedProxies: addressList([]), hops: createHops(KEY, clock) })
  return listen({ host: '127.0.0.1', port: 0, fetch, readInfo, onError })
}
