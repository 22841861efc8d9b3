import { SafeFetchError } from '../safe-fetch-error.ts'

/** Parses and checks a URL. Without `ports`, 80, 443 and the unprivileged ports (from 1024) are allowed. */
export function vetUrl(text: string, ports?: readonly number[], base?: URL): URL {
  // Not `new URL`, because its error contains the whole text.
  const url = URL.parse(text, base)
  if (!url) throw new SafeFetchError('refused_url', 'not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new SafeFetchError('refused_url', 'only http and https addresses are allowed')
  }
  if (url.username || url.password) {
    throw new SafeFetchError('refused_url', `${url.origin}: a user name or password in the address is not allowed`)
  }
  if (!portAllowed(portOf(url), ports)) {
    throw new SafeFetchError('refused_url', `${url.origin}: this port is not allowed`)
  }
  return url
}

function portOf(url: URL): number {
  if (url.port) return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function portAllowed(port: number, ports?: readonly number[]): boolean {
  if (ports) return ports.includes(port)
  return port === 80 || port === 443 || port >= 1024
}
