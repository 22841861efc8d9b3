/** A path of our own, or an address under one of the allowed ones; anything else is not gone to. */
export function isAllowedReturn(target: string, allowed: readonly string[]): boolean {
  // A browser reads `/\x`, `/<tab>/x` and `//x` as another host.
  if (/[\\\p{Cc}]/u.test(target)) return false
  if (target.startsWith('/')) return !target.startsWith('//')
  const url = URL.parse(target)
  if (!url || !/^https?:\/\//i.test(target) || url.username !== '' || url.password !== '') return false
  return allowed.some((base) => isUnder(url, new URL(base)))
}

/** By parsed origin and whole path segments, never by the beginning of a text. */
function isUnder(url: URL, base: URL): boolean {
  if (url.origin !== base.origin) return false
  const path = base.pathname.replace(/\/+$/, '')
  return path === '' || url.pathname === path || url.pathname.startsWith(`${path}/`)
}

export const HOSTED_CALLBACK = '/auth/hosted/callback'

/** Exactly a gateway's own callback: a code must never reach a page that would pass it on. */
export function isAllowedRedirect(target: string, allowed: readonly string[]): boolean {
  return allowed.some((base) => target === `${base}${HOSTED_CALLBACK}`)
}
