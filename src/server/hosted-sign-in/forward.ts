import { calledByCookie, tokenOf } from '#edge/caller.ts'
import { refuseCrossSite } from '#edge/csrf.ts'
import type { ServiceFetch } from '#edge/route.ts'
import type { HostedDeps } from './deps.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** What is passed on to somebody else's auth service: the session as a bearer, and none of our cookies. */
export function withoutCookies({ auth, cookies, publicUrl }: HostedDeps): ServiceFetch {
  return async (request, info) => {
    const session = calledByCookie(request) ? tokenOf(request, cookies.session) : undefined
    if (session !== undefined && !READS.has(request.method)) refuseCrossSite(request, publicUrl)
    const headers = new Headers(request.headers)
    headers.delete('cookie')
    if (session !== undefined) headers.set('authorization', `Bearer ${session}`)
    const { method, signal, url, body } = request
    const init: RequestInit & { duplex: 'half' } = { method, headers, signal, body, duplex: 'half' }
    return auth(new Request(url, init), info)
  }
}
