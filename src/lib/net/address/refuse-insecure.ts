import { isLoopback } from './loopback.ts'

/** Throws for plain http to another machine, which the metadata of a provider on loopback could name. */
export function refuseInsecureAddress(address: string): void {
  const { protocol, hostname, origin } = new URL(address)
  if (protocol === 'https:' || isLoopback(hostname)) return
  throw new Error(`the identity provider names an address without TLS: ${origin}`)
}
