import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the block that an address is counted under: the /64 of IPv6, because one subscriber has all of it. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  const parts = ipaddr.IPv6.parse(address.replace(/%.*$/, '')).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}
