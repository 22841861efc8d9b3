import type { Operation } from '#contract/core/operation.ts'
import { invalidToken } from '#edge/credentials/caller.ts'
import { createHops } from '#edge/credentials/hop.ts'
import { createBodyRates } from '#edge/listen/body-rate.ts'
import { type Listener, type ListenOptions, listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import type { Route, ServiceFetch } from '#edge/route/route.ts'
import { createEdge } from '#edge/serve/create-edge.ts'
import { OpenStreams } from '#edge/stream/open-streams.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { openMemoryStore } from '#lib/kv/kv.ts'
import { createLog } from '#lib/log/log.ts'
import { createMetrics } from '#lib/metrics/metrics.ts'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { systemClock } from '#lib/time/clock.ts'
import { localNeighbour, remoteNeighbour } from '../../../src/server/process/neighbours.ts'

const KEY = 'ab'.repeat(32)

/** A simulated process: a port, and the streams that end when it stops. */
type TestProcess = AsyncDisposable & { readonly url: string; readonly listener: Listener }

/** A gateway and a service. `together`: the gateway calls the service in memory. `apart`: each has its own port. */
export type TwoServices = AsyncDisposable & { readonly door: TestProcess; readonly service: TestProcess }

type TwoServicesOptions = {
  mode: 'together' | 'apart'
  routes: readonly Route[]
  db: Db
  listenOptions?: Partial<Pick<ListenOptions, 'timeouts' | 'nowMs'>>
}

/** Starts a service with made-up operations behind a door that passes everything on to it. */
export async function startTwoServices({
  mode,
  routes,
  db,
  listenOptions = {},
}: TwoServicesOptions): Promise<TwoServices> {
  const stack = new AsyncDisposableStack()
  const operations = routes.map(({ op }) => op)
  const hops = createHops(KEY, systemClock)
  const send = stack.use(createOperatorFetch())
  const own = { streams: new OpenStreams(), fetch: undefined as ServiceFetch | undefined }
  const edgeOf = (mounted: readonly Route[], openStreams: OpenStreams, forward?: ServiceFetch) =>
    createEdge(mounted, {
      service: 'test',
      resolve: async () => {
        throw invalidToken()
      },
      operatorToken: undefined,
      db,
      kv: openMemoryStore(systemClock),
      sealer: createSealer([KEY]),
      clock: systemClock,
      log: createLog('silent'),
      metrics: createMetrics({ processMetrics: false }),
      openStreams,
      ...(forward && { forward: () => forward }),
    })
  const open = async (fetch: ServiceFetch, openStreams: OpenStreams) => {
    const readInfo = createInfoReader({ trustedProxies: addressList([]), hops })
    return stack.use(await openProcess(fetch, openStreams, operations, { readInfo, ...listenOptions }))
  }
  own.fetch = edgeOf(routes, own.streams)
  if (mode === 'together') {
    const door = await open(
      edgeOf(
        [],
        own.streams,
        localNeighbour(() => own.fetch!),
      ),
      own.streams,
    )
    return { door, service: door, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
  const service = await open(own.fetch, own.streams)
  const openStreams = new OpenStreams()
  const forward = remoteNeighbour(service.url, { send, hops, openStreams, operations })
  const door = await open(edgeOf([], openStreams, forward), openStreams)
  return { door, service, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function openProcess(
  fetch: ServiceFetch,
  openStreams: OpenStreams,
  operations: readonly Operation[],
  options: Pick<ListenOptions, 'readInfo'> & TwoServicesOptions['listenOptions'],
): Promise<TestProcess> {
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch,
    onError: console.error,
    bodyRateOf: createBodyRates(operations),
    ...options,
  })
  const stop = async () => {
    await Promise.all([listener[Symbol.asyncDispose](), openStreams[Symbol.asyncDispose]()])
  }
  return { url: listener.url, listener, [Symbol.asyncDispose]: stop }
}
