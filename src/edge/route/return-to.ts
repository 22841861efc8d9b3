/** Whether a browser may be sent to `target`: a path of this host, or an address under an allowed one. */
export function isAllowedReturn(target: string, allowed: readonly string[]): boolean {
  // A browser reads `/\x`, `/<tab>/x` and `//x` as another host.
  if (/[\\\p{Cc}]/u.test(target)) return false
  if (target.startsWith('/')) return !target.startsWith('//')
  const url = URL.parse(target)
  if (!url || !/^https?:\/\//i.test(target) || url.username !== '' || url.password !== '') return false
  return allowed.some((base) => isUnder(url, new URL(base)))
}

/** Compares the parsed origin and whole path segments, because a text prefix would match other hosts. */
function isUnder(url: URL, base: URL): boolean {
  if (url.origin !== base.origin) return false
  const path = base.pathname.replace(/\/+$/, '')
  return path === '' || url.pathname === path || url.pathname.startsWith(`${path}/`)
}

export const HOSTED_CALLBACK = '/auth/hosted/callback'

/** Whether `target` is exactly the callback of an allowed gateway. Another page could leak the code. */
export function isAllowedRedirect(target: string, allowed: readonly string[]): boolean {
  return allowed.some((base) => target === `${base}${HOSTED_CALLBACK}`)
}
