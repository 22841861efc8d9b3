import { BlockList, isIPv6 } from 'node:net'
import { newId } from '#lib/ids.ts'
import { HOP_HEADER, type Hops } from './hop.ts'
import type { RequestInfo } from './route.ts'

/** The little of a request that is needed here; the names of headers in lower case. */
export type RequestHead = {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}
export type ReadInfo = (head: RequestHead, socketAddress: string) => RequestInfo

/** Reads who is really calling, from the socket, from proxies that are trusted, or from our own signed header. */
export function createInfoReader(deps: {
  trustedProxies: BlockList
  hops: Hops
  /** A hop header that is not to be believed: another secret, a clock that is off, or an outsider. */
  onBadHop?: () => void
}): ReadInfo {
  return ({ method, url, headers }, socketAddress) => {
    const hop = headers[HOP_HEADER]
    const told = hop === undefined ? undefined : deps.hops.verify(hop, method, url)
    if (told) return told
    if (hop !== undefined) deps.onBadHop?.()
    const { address, isPrivate } = knownAddress(socketAddress)
    const forwarded = headers['x-forwarded-for']
    return {
      clientAddress: forwarded === undefined ? address : clientAddress(address, forwarded, deps.trustedProxies),
      requestId: newId('req'),
      via: headers['x-svc-client'] === 'cli' ? 'cli' : 'api',
      direct: isPrivate && hop === undefined && isLocalHost(headers.host) && !isProxied(headers),
    }
  }
}

const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-real-ip', 'via', 'cf-connecting-ip']

function isProxied(headers: RequestHead['headers']): boolean {
  return PROXY_HEADERS.some((name) => headers[name] !== undefined)
}

/** Scrapers and people at the machine name an address; a page that points its own name here does not. */
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && /^(?:localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])(?::\d+)?$/i.test(host)
}

const known = new Map<string, { address: string; isPrivate: boolean }>()
const MOST_KNOWN = 10_000

/** Connections are kept and clients come back: what an address is, is worked out once. */
function knownAddress(socketAddress: string) {
  const before = known.get(socketAddress)
  if (before) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const address = plainAddress(socketAddress)
  const found = { address, isPrivate: contains(PRIVATE, address) }
  known.set(socketAddress, found)
  return found
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

/** IPv4 as IPv6 sockets show it, as IPv4; without port or brackets. */
function plainAddress(address: string): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

function isAddress(text: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(text) || isIPv6(text)
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** CIDR blocks as configured, `10.0.0.0/8` or a single address. Throws on what is neither. */
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

const PRIVATE = addressList(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7'])
