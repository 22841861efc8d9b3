/** Cookies of ours. On https their names carry `__Host-`, so that no neighbouring host can plant one. */
export type Cookies = {
  /** Names a session is read from, the safest first. */
  readonly session: readonly string[]
  readonly flow: string
  /** `maxAgeSeconds` undefined lives as long as the browser; 0 takes the cookie away. */
  set(which: 'session' | 'flow', value: string, maxAgeSeconds?: number): string
}

/** By the address people see; a service that was not told it takes either name. */
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

/** The value of the first of these names that was sent. */
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
