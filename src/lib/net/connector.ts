import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type Cidr, inCidrs, judgeAddress } from './address.ts'
import { SafeFetchError } from './safe-fetch-error.ts'

interface ResolvedAddress {
  address: string
  family: number
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

interface ConnectTarget extends buildConnector.Options {
  /** Every one of them vetted: connect to one of these and resolve nothing again. */
  addresses: readonly ResolvedAddress[]
  signal: AbortSignal
}

export type Connect = (target: ConnectTarget, callback: buildConnector.Callback) => void

interface Vetting {
  resolve: Resolve
  allowCidrs: readonly Cidr[]
}

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true })

export const systemConnect: Connect = ({ addresses, signal, ...options }, callback) => {
  const pinned: LookupFunction = (_hostname, { all }, done) => {
    if (all) done(null, [...addresses])
    else done(null, addresses[0]!.address, addresses[0]!.family)
  }
  // One timer, the caller's, covers the whole exchange: hence no connect timeout here.
  const connect = buildConnector({ allowH2: false, timeout: 0, autoSelectFamily: true, lookup: pinned, signal })
  connect(options, callback)
}

/** One refused address refuses the name: choosing the good ones would let an attacker's second record be tried. */
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
  // Node never asks a lookup function about a literal, so a vetting lookup alone would let literals through.
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
