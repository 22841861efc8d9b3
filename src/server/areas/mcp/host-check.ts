import { ServiceError } from '#contract/core/errors.ts'
import { LOOPBACK_NAMES } from '#lib/net/loopback.ts'

type Deps = {
  /** Addresses people and agents are told. */
  publicUrls: readonly string[]
  /** One of our own processes passed it on, and the name the caller used is not ours to see. */
  isPassedOn: (request: Request) => boolean
}

/**
 * Keeps out pages that make a browser call us under a name of their own (DNS rebinding), and pages of other sites.
 * Host is a name we are known by, or this machine's own, or a bare address: those no page can take.
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
    if (origin !== null && !isFriendly(origin, [...names, hostname])) {
      throw new ServiceError('FORBIDDEN', 'Pages of other sites may not call this endpoint.')
    }
  }
}

/** Empty for none, and for what is no name. */
function hostnameOf({ headers }: Request): string {
  return URL.parse(`http://${headers.get('host') ?? ''}`)?.hostname ?? ''
}

function isAddress(hostname: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[')
}

/** Programs that are no web page send other schemes, or no Origin at all. */
function isFriendly(origin: string, names: readonly string[]): boolean {
  const url = URL.parse(origin)
  if (!url) return false
  return /^https?:$/.test(url.protocol) ? names.includes(url.hostname) : true
}
