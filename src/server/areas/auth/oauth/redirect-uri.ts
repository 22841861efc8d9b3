import { isLoopback } from '#lib/net/loopback.ts'

/**
 * Returns what is wrong with a redirect URI, or undefined if it is accepted. Only the normalized spelling is accepted,
 * so that a browser cannot read an address differently from how it is written.
 */
export function redirectUriFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || text.length > 2000 || text.includes('*')) return 'is not a valid address'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'must be https (http only for 127.0.0.1, [::1] and localhost)'
  }
  const plain = text === url.href || `${text}/` === url.href
  return plain && /^[a-z0-9.\-[\]:]+$/.test(url.host) ? undefined : `must be written as ${url.href}`
}

const HTTP_LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(\d{1,5}))?(?=[/?]|$)(.*)$/s

/**
 * Whether the redirect URI of a request is the registered one. They are compared character by character, with one
 * exception (OAuth 2.1, RFC 8252 section 7.3): an http loopback address registered without a port matches any port,
 * because programs on the user's machine listen on a free one. With `anyPort` this applies also to one with a port.
 */
export function isSameRedirect(registered: string, asked: string, anyPort: boolean): boolean {
  if (registered === asked) return true
  const [, host, port, rest] = HTTP_LOOPBACK.exec(registered) ?? []
  if (host === undefined || (port !== undefined && !anyPort)) return false
  const [, askedHost, , askedRest] = HTTP_LOOPBACK.exec(asked) ?? []
  return askedHost === host && askedRest === rest && redirectUriFault(asked) === undefined
}

/**
 * Returns the key that a registration is counted under: the origin of an https redirect URI, or for a loopback one the
 * caller's address and the client's name, until a user approves it.
 */
export function originOf(redirectUri: string, callerAddress: string, clientName: string): string {
  const url = new URL(redirectUri)
  return isLoopback(url.hostname) ? `address:${callerAddress} ${clientName}` : url.origin
}

/** Removes the port of a loopback address, which differs each time a program registers. */
export function withoutPort(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url.hostname)) url.port = ''
  return url.href
}
