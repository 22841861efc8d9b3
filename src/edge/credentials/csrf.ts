import { ServiceError } from '#contract/core/errors.ts'

/**
 * Whether a page of ours sent it. Browsers say so themselves in `Sec-Fetch-Site`; where they do not, on plain http
 * outside loopback, `Origin` must be the address that was asked or the one people see.
 */
export function isSameOrigin(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site === 'same-origin') return true
  if (site !== null && site !== 'none') return false
  const origin = request.headers.get('origin')
  if (origin === null) return false
  return origin === new URL(request.url).origin || (publicUrl !== undefined && origin === new URL(publicUrl).origin)
}

/** A cookie comes along whoever caused the request, so a write by cookie must come from our own pages. */
export function refuseCrossSite(request: Request, publicUrl: string | undefined): void {
  if (isSameOrigin(request, publicUrl)) return
  throw new ServiceError(
    'CSRF',
    'A change made with a session cookie must come from a page of this site. Elsewhere, send an API token.',
  )
}
