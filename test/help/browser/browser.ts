import { randomInt } from 'node:crypto'

type Site = 'same-origin' | 'same-site' | 'cross-site' | 'none'
type Sent = {
  method?: string
  form?: Record<string, string>
  /** A body that is sent as it is; `headers` has its type. */
  text?: string
  json?: unknown
  site?: Site
  headers?: Record<string, string>
}

/**
 * The parts of a browser that sign-in needs: cookies per host with the rules of `__Host-`, and `Sec-Fetch-Site`. Public
 * addresses are mapped to test systems. Each browser has its own client address, because limits count by address.
 */
export class Browser {
  readonly #hosts: Readonly<Record<string, string>>
  readonly #address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
  readonly #jars = new Map<string, Map<string, string>>()

  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = hosts
  }

  /** Sends a request. Redirects are not followed, because most tests check `Location`. */
  async go(
    url: string,
    { method, form, text, json, site = 'same-origin', headers = {} }: Sent = {},
  ): Promise<Response> {
    const { origin, pathname, search } = new URL(url)
    const target = this.#hosts[origin]
    if (!target) throw new Error(`nothing answers at ${origin}`)
    const body = text ?? (form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json))
    const response = await fetch(`${target}${pathname}${search}`, {
      method: method ?? (body === null ? 'GET' : 'POST'),
      redirect: 'manual',
      body,
      headers: {
        'x-forwarded-for': this.#address,
        'sec-fetch-site': site,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...this.#cookieHeader(origin),
        ...headers,
      },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(origin, line)
    return response
  }

  cookie(origin: string, name: string): string | undefined {
    return this.#jars.get(origin)?.get(name)
  }

  setCookie(origin: string, name: string, value: string): void {
    this.#jarOf(origin).set(name, value)
  }

  #jarOf(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  #cookieHeader(origin: string): Record<string, string> {
    const cookies = [...this.#jarOf(origin)].map(([name, value]) => `${name}=${value}`)
    return cookies.length > 0 ? { cookie: cookies.join('; ') } : {}
  }

  #keep(origin: string, line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const hostOnly = attributes.includes('Secure') && attributes.includes('Path=/') && !/domain=/i.test(line)
    if (name.startsWith('__Host-') && !(hostOnly && origin.startsWith('https:'))) return
    if (attributes.includes('Max-Age=0')) this.#jarOf(origin).delete(name)
    else this.#jarOf(origin).set(name, value)
  }
}
