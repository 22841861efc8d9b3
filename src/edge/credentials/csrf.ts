import { ServiceError } from '#contract/core/errors.ts'

/**
 * Whether a page of this site sent the request. Browsers say so in `Sec-Fetch-Site`. On plain http outside loopback they
 * do not send it, and `Origin` must be the address that was called or the public one.
 */
export function isSameOrigin(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site === 'same-origin') return true
  if (site !== null && site !== 'none') return false
  const origin = request.headers.get('origin')
  if (origin === null) return false
  return origin === new URL(request.url).origin || (publicUrl !== undefined && origin === new URL(publicUrl).origin)
}

/** Throws CSRF unless a page of this site sent the request, because browsers send cookies with requests of any site. */
export function refuseCrossSite(request: Request, publicUrl: string | undefined): void {
  if (isSameOrigin(request, publicUrl)) return
  throw new ServiceError(
    'CSRF',
    'A change made with a session cookie must come from a page of this site. Elsewhere, send an API token.',
  )
}
