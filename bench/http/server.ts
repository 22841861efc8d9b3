import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { operation } from '#contract/core/operation.ts'
import { createCallerResolver } from '#edge/credentials/caller.ts'
import { createHops } from '#edge/credentials/hop.ts'
import { listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import { route } from '#edge/route/route.ts'
import { createEdge } from '#edge/serve/create-edge.ts'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { openEmbedded } from '#lib/db/embedded/embedded.ts'
import { migrate } from '#lib/db/migrate/migrate.ts'
import { authKeys, chooseFirstAccount, makeFirstAccount } from '../../src/server/areas/auth/index.ts'
import { countFailureOf, validateAtAuth } from '../../src/server/compose/edge.ts'
import { readSettings, toConfig } from '../../src/server/config/config.ts'
import { localNeighbour } from '../../src/server/process/neighbours.ts'
import { openResources } from '../../src/server/process/resources.ts'
import { allMigrations } from '../../src/server/process/schema.ts'
import { startServices } from '../../src/server/process/start.ts'

/** The measured process, `bare` or `svc`. Sends its address, then its CPU time on request. */
const ANSWER = { message: 'hello', count: 1 }
const BODY = JSON.stringify(ANSWER)

const started = process.argv[2] === 'bare' ? await startBare() : await startOurs()
process.send!(started)
process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => process.exit(0))

async function startBare() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length })
    response.end(BODY)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hello`, token: 'none' }
}

/** Starts one authenticated operation behind the whole edge, with tokens validated by the real auth service. */
async function startOurs() {
  const hello = operation({
    kind: 'json',
    name: 'bench.hello',
    method: 'GET',
    path: '/hello',
    summary: 'Hello',
    access: { principals: ['api_token'], role: 'viewer', scope: null, org: 'token' },
    effect: 'read',
    bodyLimit: 0,
    input: z.object({}),
    output: z.object({ message: z.string(), count: z.int() }),
  })
  const key = 'ab'.repeat(32)
  const secrets = { jwtSecret: key, jwtSigningKey: key, dataKeys: [key] as const, internalSecret: key }
  const config = toConfig(readSettings({ PORT: '0', SVC_LOG_LEVEL: 'info' }), secrets)
  const stack = new AsyncDisposableStack()
  const db = await openEmbedded({ onError: console.error })
  await migrate(db, allMigrations())
  const resources = await openResources(config, stack, { db })
  const auth = await startServices(resources, stack, { ...config, services: ['auth-service'], urlOf: () => undefined })
  const account = chooseFirstAccount()
  await makeFirstAccount({ ...resources, keys: authKeys(key, key) }, account)
  const parts = {
    ...resources,
    running: [],
    neighbour: () => localNeighbour(() => auth.fetch),
    readiness: async () => ({ status: 'ready' as const, dependencies: {} }),
    openStreams: new OpenStreams(),
    publicUrls: { issuer: '', mcp: '', signIn: '', ofApp: () => null },
  }
  const { clock, principalCache: cache } = resources
  const validate = validateAtAuth(parts, 'api-gateway')
  const fetch = createEdge([route(hello, async () => ANSWER)], {
    ...resources,
    service: 'api-gateway',
    operatorToken: undefined,
    resolve: createCallerResolver({
      audience: 'api-gateway',
      validate,
      countFailure: countFailureOf(resources),
      cache,
      clock,
    }),
  })
  const readInfo = createInfoReader({ trustedProxies: addressList([]), hops: createHops(key, resources.clock) })
  const listener = await listen({ host: '127.0.0.1', port: 0, fetch, readInfo, onError: console.error })
  return { url: `${listener.url}/hello`, token: account.api_key }
}
