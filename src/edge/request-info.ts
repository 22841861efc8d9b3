import { BlockList, isIPv6 } from 'node:net'
import { newId } from '#lib/ids.ts'
import { HOP_HEADER, type Hops } from './hop.ts'
import type { RequestInfo } from './route.ts'

export type ReadInfo = (request: Request, socketAddress: string) => RequestInfo

/** Reads who is really calling, from the socket, from proxies that are trusted, or from our own signed header. */
export function createInfoReader(deps: { trustedProxies: BlockList; hops: Hops }): ReadInfo {
  return (request, socketAddress) => {
    const { headers, method, url } = request
    const hop = headers.get(HOP_HEADER)
    const told = hop === null ? undefined : deps.hops.verify(hop, method, url)
    if (told) return told
    const forwarded = headers.get('x-forwarded-for')
    const proxied = forwarded !== null || headers.has('forwarded') || headers.has('x-forwarded-host')
    return {
      clientAddress: clientAddress(plainAddress(socketAddress), forwarded, deps.trustedProxies),
      requestId: newId('req'),
      via: headers.get('x-svc-client') === 'cli' ? 'cli' : 'api',
      direct: !proxied && contains(PRIVATE, plainAddress(socketAddress)),
    }
  }
}

/** Walks `X-Forwarded-For` from the nearest hop outwards and stops at the first one nobody vouches for. */
export function clientAddress(socketAddress: string, forwarded: string | null, trusted: BlockList): string {
  let address = socketAddress
  const hops = forwarded === null ? [] : forwarded.split(',').map((hop) => plainAddress(hop.trim()))
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
