import { calledByCookie, invalidToken, tokenOf } from '#edge/credentials/caller.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { isRefusedToken } from '#edge/limits/rate-limit.ts'
import type { ServiceFetch } from '#edge/route/route.ts'
import type { HostedDeps } from './deps.ts'
import { createFindLimit } from './forwarded-limits.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Passes a request on to a hosted auth service: the session as a bearer, and none of our cookies. The hosted service
 * counts refused tokens and codes of this whole installation as one address, so they are counted here for each end
 * client, and its 429 for a refused one is taken as the refusal alone.
 */
export function withoutCookies(deps: HostedDeps): ServiceFetch {
  const { auth, cookies, publicUrl, countFailure } = deps
  const findLimit = createFindLimit(deps)
  return async (request, info) => {
    const session = calledByCookie(request) ? tokenOf(request, cookies.session) : undefined
    if (session !== undefined && !READS.has(request.method)) refuseCrossSite(request, publicUrl)
    const headers = new Headers(request.headers)
    headers.delete('cookie')
    if (session !== undefined) headers.set('authorization', `Bearer ${session}`)
    const { method, signal, url, body } = request
    const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' }
    const response = await auth(new Request(url, init), info)
    const status = isRefusedToken(response) ? 401 : response.status
    const limit = findLimit(request)
    if (limit) await limit(status, info, null)
    else if (status === 401 && headers.has('authorization')) await countFailure(info.clientAddress)
    if (isRefusedToken(response)) throw invalidToken()
    return response
  }
}
