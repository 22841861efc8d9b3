import { parseCidr } from '#lib/net/address/address.ts'
import type { EnvironmentReader } from './reader.ts'

export function readForum(read: EnvironmentReader) {
  /** Private networks, as CIDR blocks, that forums may be in. Nothing else of svc may reach them. */
  const allowedNetworks: readonly string[] = read.list('SVC_FORUM_ALLOWED_NETWORKS')
  if (!allowedNetworks.every(isCidr)) {
    read.fault('SVC_FORUM_ALLOWED_NETWORKS must be CIDR blocks such as 10.20.0.0/16, comma-separated')
  }
  return Object.freeze({ allowedNetworks })
}

function isCidr(text: string): boolean {
  try {
    parseCidr(text)
    return true
  } catch {
    return false
  }
}
