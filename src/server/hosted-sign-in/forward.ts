import { calledByCookie, invalidToken, tokenOf } from '#edge/caller.ts'
import { refuseCrossSite } from '#edge/csrf.ts'
import { isRefusedToken } from '#edge/rate-limit.ts'
import type { ServiceFetch } from '#edge/route.ts'
import type { HostedDeps } from './deps.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Passes a request on to a hosted auth service: the session as a bearer, and none of our cookies. The hosted service
 * counts refused tokens of this whole installation as one address, so they are counted here for each end client, and
 * its 429 for a refused token is taken as the refusal alone.
 */
export function withoutCookies({ auth, cookies, publicUrl, countFailure }: HostedDeps): ServiceFetch {
  return async (request, info) => {
    const session = calledByCookie(request) ? tokenOf(request, cookies.session) : undefined
    if (session !== undefined && !READS.has(request.method)) refuseCrossSite(request, publicUrl)
    const headers = new Headers(request.headers)
    headers.delete('cookie')
    if (session !== undefined) headers.set('authorization', `Bearer ${session}`)
    const { method, signal, url, body } = request
    const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' }
    const response = await auth(new Request(url, init), info)
    const isRefused = headers.has('authorization') && (response.status === 401 || isRefusedToken(response))
    if (isRefused) await countFailure(info.clientAddress)
    if (isRefusedToken(response)) throw invalidToken()
    return response
  }
}
