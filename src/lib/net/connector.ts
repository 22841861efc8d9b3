import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Cidr, inCidrs, judgeAddress } from './address/address.ts'
import { SafeFetchError } from './safe-fetch-error.ts'

interface ResolvedAddress {
  address: string
  family: number
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

interface ConnectTarget extends buildConnector.Options {
  /** The vetted addresses. The connection must use one of these and must not resolve the name again. */
  addresses: readonly ResolvedAddress[]
  signal: AbortSignal
}

export type Connect = (target: ConnectTarget, callback: buildConnector.Callback) => void

interface Vetting {
  resolve: Resolve
  allowCidrs: readonly Cidr[]
}

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true })

/** Returns these addresses for every name. */
export function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    if (all) done(null, [...addresses])
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }
}

export const systemConnect: Connect = ({ addresses, signal, ...options }, callback) => {
  const pinned = pinnedLookup(addresses)
  // No connect timeout, because the caller's deadline covers the whole exchange.
  const connect = buildConnector({ allowH2: false, timeout: 0, autoSelectFamily: true, lookup: pinned, signal })
  connect(options, callback)
}

/**
 * Resolves a name and refuses it if any of its addresses is refused, because an attacker controls all its DNS records.
 */
export async function vettedAddresses(hostname: string, vetting: Vetting): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolveOrLiteral(hostname, vetting.resolve)
  if (addresses.length === 0) throw new SafeFetchError('dns', `${hostname} has no address`)
  for (const { address } of addresses) {
    if (judgeAddress(address) !== 'public' && !inCidrs(address, vetting.allowCidrs)) {
      throw new SafeFetchError('refused_address', `${hostname} is not a public address`)
    }
  }
  return addresses
}

async function resolveOrLiteral(hostname: string, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  // Node does not call the lookup function for IP literals, so they are vetted here too.
  const family = isIP(hostname)
  if (family !== 0) return [{ address: hostname, family }]
  try {
    return await resolve(hostname)
  } catch (cause) {
    throw new SafeFetchError('dns', `${hostname} could not be resolved`, { cause })
  }
}

interface ConnectorDeps extends Vetting {
  connect: Connect
  signal: AbortSignal
}

/** Creates an undici connector that vets the addresses of a host before each connection. */
export function createConnector({ connect, signal, ...vetting }: ConnectorDeps): buildConnector.connector {
  const vetThenConnect = async (options: buildConnector.Options, callback: buildConnector.Callback) => {
    try {
      const addresses = await vettedAddresses(options.hostname, vetting)
      signal.throwIfAborted()
      connect({ ...options, addresses, signal }, callback)
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null)
    }
  }
  return (options, callback) => void vetThenConnect(options, callback)
}
