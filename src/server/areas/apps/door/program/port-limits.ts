import type { ListenOptions } from '#edge/listen/listen.ts'
import { type addressList, contains, isNeighbour } from '#edge/listen/request-info.ts'
import { MAX_SOCKETS, MAX_SOCKETS_PER_ADDRESS, MAX_UNDER_WAY } from './bounds.ts'

const MAX_CONNECTIONS = 1_500
const MAX_PER_ADDRESS = 256
/** A neighbour may be the api-gateway, or a balancer that nobody named as a trusted proxy. */
const MAX_PER_NEIGHBOUR = MAX_UNDER_WAY

/**
 * The limits of the port of apps, so that the headers of all its connections together fit into the heap of the process
 * behind it.
 */
export function portLimits(
  trustedProxies: ReturnType<typeof addressList>,
): Required<Pick<ListenOptions, 'connections' | 'headers' | 'timeouts'>> {
  const perAddress = (address: string) => {
    if (contains(trustedProxies, address)) return MAX_CONNECTIONS
    return isNeighbour(address) ? MAX_PER_NEIGHBOUR : MAX_PER_ADDRESS
  }
  return {
    connections: { total: MAX_CONNECTIONS, perAddress },
    // A short header takes ten times its bytes in memory, so their number counts as well.
    headers: { maxBytes: 8 * 1024, maxCount: 100 },
    timeouts: { headersMs: 5_000 },
  }
}

/** Returns the number of WebSockets that a client at an address may have open. They have left the limits above. */
export function socketLimit(trustedProxies: ReturnType<typeof addressList>): (address: string) => number {
  return (address) =>
    contains(trustedProxies, address) || isNeighbour(address) ? MAX_SOCKETS : MAX_SOCKETS_PER_ADDRESS
}
