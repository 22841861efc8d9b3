import { BlockList, isIPv6 } from 'node:net'
import { createBoundedCache } from '#lib/memory/bounded-cache.ts'
import { HOP_HEADER, type Hops } from '../credentials/hop.ts'
import { newId } from '../ids.ts'
import type { RequestInfo } from '../route/route.ts'
import { isForwardingHeader } from './forwarding.ts'

/** The parts of a request that say who is calling. Header names are in lower case. */
type RequestHead = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}
export type ReadInfo = (head: RequestHead, socketAddress: string) => RequestInfo

/** Reads the end client's address from our own signed hop header, from trusted proxies, or from the socket. */
export function createInfoReader(deps: {
  trustedProxies: BlockList
  hops: Hops
  /** Called for a hop header with a wrong signature: another secret, a clock that is off, or an outsider. */
  onBadHop?: () => void
}): ReadInfo {
  const readAddress = createAddressReader(deps.trustedProxies)
  return ({ method, url, headers }, socketAddress) => {
    const hop = headers[HOP_HEADER]
    const verified = hop === undefined ? undefined : deps.hops.verify(hop, method, url)
    if (verified) return verified
    if (hop !== undefined) deps.onBadHop?.()
    const { address, mayBeDirect, isApp } = readAddress(socketAddress)
    const forwarded = headers['x-forwarded-for']
    return {
      clientAddress:
        forwarded === undefined || isApp ? address : clientAddress(address, forwarded, deps.trustedProxies),
      requestId: newId('req'),
      via: headers['x-svc-client'] === 'cli' ? 'cli' : 'api',
      direct: hop === undefined && mayBeDirect && isPlainlyLocal(headers),
    }
  }
}

function isPlainlyLocal(headers: RequestHead['headers']): boolean {
  return isLocalHost(headers.host) && !Object.keys(headers).some(isForwardingHeader)
}

/**
 * Scrapers and people at the machine name an address or localhost. A web page whose name resolves to this machine
 * (DNS rebinding) sends its own name.
 */
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])(?::\d+)?$/i.test(host)
}

const MAX_CACHED_ADDRESSES = 10_000

type SocketAddress = {
  /** The address in its plain form. */
  address: string
  /** Whether it is a loopback or private address that is neither a trusted proxy's nor an app's. */
  mayBeDirect: boolean
  /** Whether an app of this machine has it. Apps are never a trusted proxy, even where all of loopback is. */
  isApp: boolean
}

/** Caches what is known of each socket address, because connections are reused and clients come back. */
function createAddressReader(trustedProxies: BlockList): (socketAddress: string) => SocketAddress {
  const cache = createBoundedCache<string, SocketAddress>({ max: MAX_CACHED_ADDRESSES })
  return (socketAddress) =>
    cache.getOrMake(socketAddress, () => {
      const address = plainAddress(socketAddress)
      const isApp = contains(APPS, address)
      return { address, mayBeDirect: contains(PRIVATE, address) && !contains(trustedProxies, address) && !isApp, isApp }
    })
}

/** Walks `X-Forwarded-For` from the nearest hop outwards and stops at the first one nobody vouches for. */
export function clientAddress(socketAddress: string, forwarded: string, trusted: BlockList): string {
  let address = socketAddress
  const hops = forwarded.split(',').map((hop) => plainAddress(hop.trim()))
  for (const hop of hops.toReversed()) {
    if (!contains(trusted, address) || !isAddress(hop)) break
    address = hop
  }
  return address
}

/** Strips port and brackets, and the `::ffff:` prefix that IPv6 sockets put before an IPv4 address. */
export function plainAddress(address: string): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

function isAddress(text: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(text) || isIPv6(text)
}

/** Whether an address of a loopback or private network calls that is not an app's of this machine. */
export function isNeighbour(address: string): boolean {
  return contains(PRIVATE, address) && !contains(APPS, address)
}

export function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** Parses CIDR blocks such as `10.0.0.0/8` and single addresses. Throws on anything else. */
export function addressList(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** The addresses that the proxy of a sandbox connects to svc from (`apps/process/sandbox/workplace.ts`). */
const APPS = addressList(['127.64.0.0/10'])
const PRIVATE = addressList(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7'])
