import { CONNECTION_HEADERS } from '#lib/net/end-to-end-headers.ts'

/** Headers that only our own processes and proxies may set. */
const OURS = ['expect', 'forwarded', 'x-svc-hop', 'x-svc-client', 'x-real-ip']

/**
 * An alternative service would take the traffic of the app's host name elsewhere. The other is an order to our HTTP
 * library to send nothing, which would leave the connection open.
 */
const NOT_OF_APPS = ['alt-svc', 'x-hono-already-sent']

type Client = { readonly address: string; readonly host: string; readonly isSecure: boolean }

/** Returns the headers of a request as an app gets them: without our cookies, and with what is known of its client. */
export function headersForApp(sent: Headers, { address, host, isSecure }: Client): Headers {
  const headers = new Headers(sent)
  for (const name of [...CONNECTION_HEADERS, ...OURS, ...namedIn(sent)]) headers.delete(name)
  for (const name of sent.keys()) if (name.startsWith('x-forwarded-')) headers.delete(name)
  const cookies = withoutOurCookies(sent.get('cookie'))
  if (cookies === undefined) headers.delete('cookie')
  else headers.set('cookie', cookies)
  headers.set('x-forwarded-for', address)
  headers.set('x-forwarded-host', host)
  headers.set('x-forwarded-proto', isSecure ? 'https' : 'http')
  return headers
}

/** Returns the headers of an app's answer as its client gets them. */
export function headersFromApp(sent: Headers): Headers {
  const headers = new Headers(sent)
  for (const name of [...CONNECTION_HEADERS, ...namedIn(sent), ...NOT_OF_APPS]) headers.delete(name)
  headers.delete('set-cookie')
  for (const cookie of sent.getSetCookie()) headers.append('set-cookie', withoutDomain(cookie))
  return headers
}

/** Further headers of this connection, which `Connection` names. */
function namedIn(headers: Headers): string[] {
  const names = (headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
}

/** Cookies are not separated by port, so a session of the console can come along. No app may see one. */
function withoutOurCookies(cookies: string | null): string | undefined {
  if (cookies === null) return undefined
  const others = cookies.split(';').filter((pair) => !/^\s*(?:__Host-|__Secure-)?svc_/i.test(pair))
  return others.length === 0 ? undefined : others.join(';').trim()
}

/** A cookie for the whole domain would reach other apps, and could take the place of theirs. */
function withoutDomain(cookie: string): string {
  return cookie
    .split(';')
    .filter((part, index) => index === 0 || !/^\s*domain\s*(?:=|$)/i.test(part))
    .join(';')
}
