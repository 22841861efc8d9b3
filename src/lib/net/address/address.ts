import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type AddressRefusal = 'not_an_address' | 'special_range' | 'platform_service'
type AddressVerdict = 'public' | { refused: AddressRefusal }
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

// Azure's wire server has a public unicast address, but answers only from inside and hands out credentials.
const platformServices = new Set(['168.63.129.16'])

// ipaddr.js calls unknown ranges unicast (for example ISATAP ::5efe:7f00:1), so IPv6 addresses must be within this one.
const globalUnicast = ipaddr.IPv6.parse('2000::')

/** Accepts global unicast addresses only. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is always refused. */
export function judgeAddress(ip: string): AddressVerdict {
  // ipaddr.js also accepts spellings such as 0x7f.1, which no resolver returns.
  if (isIP(ip) === 0) return { refused: 'not_an_address' }
  const address = ipaddr.parse(ip)
  if (platformServices.has(address.toString())) return { refused: 'platform_service' }
  if (address.range() !== 'unicast') return { refused: 'special_range' }
  if (address.kind() === 'ipv6' && !address.match(globalUnicast, 3)) return { refused: 'special_range' }
  return 'public'
}

/** Parses `address/bits`. Throws for any other text. */
export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text)
}

/**
 * Whether an address is in one of the ranges. IPv4 inside IPv6 matches no IPv4 range, so that a range allows one
 * spelling.
 */
export function inCidrs(ip: string, cidrs: readonly Cidr[]): boolean {
  if (isIP(ip) === 0) return false
  const address = ipaddr.parse(ip)
  return cidrs.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
