import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type AddressRefusal = 'not_an_address' | 'special_range' | 'platform_service'
type AddressVerdict = 'public' | { refused: AddressRefusal }
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>

// Azure's wire server: public unicast by number, yet it answers only from inside and hands out credentials.
const platformServices = new Set(['168.63.129.16'])

// ipaddr.js calls whatever it has no name for unicast (ISATAP ::5efe:7f00:1, for one), so IPv6 must lie in here.
const globalUnicast = ipaddr.IPv6.parse('2000::')

/** Only global unicast is public. IPv4 inside IPv6 (mapped, NAT64, 6to4, Teredo) is refused whatever it holds. */
export function judgeAddress(ip: string): AddressVerdict {
  // ipaddr.js also reads 0x7f.1 and the like, which no resolver answers.
  if (isIP(ip) === 0) return { refused: 'not_an_address' }
  const address = ipaddr.parse(ip)
  if (platformServices.has(address.toString())) return { refused: 'platform_service' }
  if (address.range() !== 'unicast') return { refused: 'special_range' }
  if (address.kind() === 'ipv6' && !address.match(globalUnicast, 3)) return { refused: 'special_range' }
  return 'public'
}

/** Throws on anything but `address/bits`. */
export function parseCidr(text: string): Cidr {
  return ipaddr.parseCIDR(text)
}

/** IPv4 inside IPv6 matches no IPv4 range: an allow-list opens the address it names and no other spelling of it. */
export function inCidrs(ip: string, cidrs: readonly Cidr[]): boolean {
  if (isIP(ip) === 0) return false
  const address = ipaddr.parse(ip)
  return cidrs.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}
