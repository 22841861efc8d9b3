const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/** Undefined when people may be sent there with a code; otherwise what is wrong with it, in words. */
export function redirectUriFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || text.length > 2000 || /[\s\\*\p{Cc}]/u.test(text)) return 'is no plain address'
  if (text.includes('#')) return 'must have no fragment'
  if (url.username !== '' || url.password !== '') return 'must name no user'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:' && isLoopback(url)) return undefined
  return 'must be https (http only for 127.0.0.1, [::1] and localhost)'
}

/** By the host as it was written: other spellings of the same address are other addresses. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.includes(url.hostname)
}

export function isLoopbackOnly(redirectUris: readonly string[]): boolean {
  return redirectUris.every((uri) => isLoopback(new URL(uri)))
}

/** Who a registration counts for: the site behind its redirect, or, on a person's own machine, the caller's address. */
export function originOf(redirectUri: string, callerAddress: string): string {
  const url = new URL(redirectUri)
  return isLoopback(url) ? `address:${callerAddress}` : url.origin
}

/** What stays the same when a program on a person's machine registers again: the port does not. */
export function withoutPort(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url)) url.port = ''
  return url.href
}
