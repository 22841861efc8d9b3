/** The product's cookies. On https their names start with `__Host-`, so that no neighbouring host can set them. */
export type Cookies = {
  /** The names a session is read from, in this order. */
  readonly session: readonly string[]
  readonly flow: string
  /** Returns a Set-Cookie value. Without `maxAgeSeconds` the cookie ends with the browser; 0 removes it. */
  set(which: 'session' | 'flow', value: string, maxAgeSeconds?: number): string
}

/** Names the cookies by the public address. A service that does not know it reads sessions under both names. */
export function createCookies(publicUrl: string | undefined): Cookies {
  const secure = publicUrl?.startsWith('https:') ?? false
  const prefix = secure ? '__Host-' : ''
  const names = { session: `${prefix}svc_session`, flow: `${prefix}svc_flow` }
  return {
    session: publicUrl === undefined ? ['__Host-svc_session', 'svc_session'] : [names.session],
    flow: names.flow,
    set: (which, value, maxAgeSeconds) => {
      const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
      return `${names[which]}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}${age}`
    },
  }
}

/** Returns the value of the first of these names that has one, or undefined. */
export function readCookie(request: Request, names: readonly string[]): string | undefined {
  const header = request.headers.get('cookie')
  if (header === null) return undefined
  const sent = new Map<string, string>()
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    if (at > 0 && !sent.has(name)) sent.set(name, pair.slice(at + 1).trim())
  }
  return names.map((name) => sent.get(name)).find((value) => value !== undefined && value !== '')
}
