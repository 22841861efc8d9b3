const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Undefined when people may be sent there with a code; otherwise what is wrong with it, in words. One address has one
 * spelling: what a browser would read otherwise than it is written is not taken.
 */
export function redirectUriFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || text.length > 2000 || text.includes('*')) return 'is no plain address'
  if (text.includes('#')) return 'must have no fragment'
  if (url.username !== '' || url.password !== '') return 'must name no user'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    return 'must be https (http only for 127.0.0.1, [::1] and localhost)'
  }
  const plain = text === url.href || `${text}/` === url.href
  return plain && /^[a-z0-9.\-[\]:]+$/.test(url.host) ? undefined : `must be written as ${url.href}`
}

export function isLoopback(url: URL): boolean {
  return LOOPBACK.includes(url.hostname)
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
