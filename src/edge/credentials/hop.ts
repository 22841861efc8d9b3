import { deriveKey, equalSecrets, hmac } from '#lib/crypto/keys.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { RequestInfo, Via } from '../route/route.ts'

/**
 * The header in which one of our processes tells the next about the end client: address, request id and how the call
 * arrived. It is signed with the time, method and path, so that nobody else can claim an address, and a copied header
 * is good for the same call alone and for a minute.
 */
export type Hops = {
  sign(method: string, url: string, info: RequestInfo): string
  /** Returns undefined for a header that is malformed, too old or not signed for this call. */
  verify(header: string, method: string, url: string): RequestInfo | undefined
}

export const HOP_HEADER = 'x-svc-hop'
const MAX_AGE_SECONDS = 60

export function createHops(internalSecret: string, clock: Clock): Hops {
  const key = deriveKey(Buffer.from(internalSecret, 'hex'), 'hop')
  const macOf = (head: string, method: string, url: string) =>
    hmac(key, `${head}\n${method}\n${pathOf(url)}`).toString('base64url')
  const seconds = () => Math.floor(clock.now().getTime() / 1000)
  return {
    sign(method, url, { clientAddress, requestId, via }) {
      const payload = Buffer.from(JSON.stringify([clientAddress, requestId, via])).toString('base64url')
      const head = `v1.${seconds()}.${payload}`
      return `${head}.${macOf(head, method, url)}`
    },
    verify(header, method, url) {
      const [version, time, payload, mac] = header.split('.')
      if (version !== 'v1' || !time || !payload || !mac) return undefined
      if (Math.abs(seconds() - Number(time)) > MAX_AGE_SECONDS) return undefined
      if (!equalSecrets(mac, macOf(`v1.${time}.${payload}`, method, url))) return undefined
      const text = Buffer.from(payload, 'base64url').toString()
      const [clientAddress, requestId, via] = JSON.parse(text) as [string, string, Via]
      return { clientAddress, requestId, via, direct: false }
    },
  }
}

/** Returns path and query, the part of an address that a proxy between our services does not change. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
