import { ServiceError } from '#contract/core/errors.ts'
import { LOOPBACK_NAMES } from '#lib/net/address/loopback.ts'

type Deps = {
  /** Configured addresses of this installation. */
  publicUrls: readonly string[]
  /** Whether one of our own processes passed the request on, so that its Host header is not the caller's. */
  isPassedOn: (request: Request) => boolean
}

/**
 * Refuses calls of web pages of other sites, also of pages whose own name resolves to this machine (DNS rebinding). The
 * Host header must be a configured name, a loopback name or a bare address, because no page can have those as its name.
 */
export function createHostCheck({ publicUrls, isPassedOn }: Deps): (request: Request) => void {
  const names = [...publicUrls.map((url) => new URL(url).hostname), ...LOOPBACK_NAMES]
  return (request) => {
    const hostname = hostnameOf(request)
    if (!(names.includes(hostname) || isAddress(hostname) || isPassedOn(request))) {
      throw new ServiceError(
        'FORBIDDEN',
        'The Host header does not name this server. A proxy in front of it must pass the Host header on.',
      )
    }
    const origin = request.headers.get('origin')
    if (origin !== null && !isOwnOrigin(origin, [...names, hostname])) {
      throw new ServiceError('FORBIDDEN', 'Pages of other sites may not call this endpoint.')
    }
  }
}

/** Returns '' when the Host header is missing or is not a name. */
function hostnameOf({ headers }: Request): string {
  return URL.parse(`http://${headers.get('host') ?? ''}`)?.hostname ?? ''
}

function isAddress(hostname: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[')
}

/** Accepts origins with other schemes than http(s), because only programs send those, never web pages. */
function isOwnOrigin(origin: string, names: readonly string[]): boolean {
  const url = URL.parse(origin)
  if (!url) return false
  return /^https?:$/.test(url.protocol) ? names.includes(url.hostname) : true
}
