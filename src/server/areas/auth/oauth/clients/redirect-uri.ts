import { isLoopback } from '#lib/net/address/loopback.ts'

/**
 * Returns what is wrong with a redirect URI, or undefined if it is accepted. Only the normalized spelling is accepted,
 * so that a browser cannot read an address differently from how it is written. `listed` are the addresses with schemes
 * of their own that the operator accepts, letter by letter.
 */
export function redirectUriFault(text: string, listed: readonly string[]): string | undefined {
  if (listed.includes(text)) return undefined
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
  return askedHost === host && askedRest === rest && redirectUriFault(asked, []) === undefined
}

/** Whether codes go to a program on the person's computer: by a loopback address, or by a scheme of its own. */
export function isOnThisComputer(redirectUri: string): boolean {
  return isLoopback(new URL(redirectUri).hostname) || hasOwnScheme(redirectUri)
}

/** Whether the address opens the program that is installed for its scheme, instead of a page. */
export function hasOwnScheme(redirectUri: string): boolean {
  return !['http:', 'https:'].includes(new URL(redirectUri).protocol)
}

/** Returns who gets the codes: the host of a page, or the scheme of a program with its host, if it has one. */
export function redirectHostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (!hasOwnScheme(redirectUri)) return host
  return host === '' ? protocol : `${protocol}//${host}`
}

/**
 * Returns the key that a registration is counted under: the origin of an https redirect URI, or for a program on the
 * person's computer the caller's address and the client's name, until a user approves it.
 */
export function originOf(redirectUri: string, callerAddress: string, clientName: string): string {
  return isOnThisComputer(redirectUri) ? `address:${callerAddress} ${clientName}` : new URL(redirectUri).origin
}

/** Removes the port of a loopback address, which differs each time a program registers. */
export function withoutPort(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isLoopback(url.hostname)) url.port = ''
  return url.href
}
