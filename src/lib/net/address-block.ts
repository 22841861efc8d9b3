import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Who to count an address for: one line of IPv6 is given a whole /64, and could otherwise be anybody. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  const parts = ipaddr.IPv6.parse(address.replace(/%.*$/, '')).parts.slice(0, 4)
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`
}
