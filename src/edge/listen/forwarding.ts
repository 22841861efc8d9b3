/**
 * Headers that only a proxy adds, by exact name. `x-forwarded-*` and the families in PREFIXES are matched by prefix,
 * because proxies differ in which of them they send: some add only `X-Forwarded-Proto`.
 */
const NAMES: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-real-proto',
  'x-client-ip',
  'x-originating-ip',
  'x-forward-for',
  'x-coming-from',
  'x-cluster-client-ip',
  'x-scheme',
  'x-url-scheme',
  'x-request-start',
  'x-arr-log-id',
  'x-arr-ssl',
  'x-proxyuser-ip',
  'true-client-ip',
  'fastly-client-ip',
  'front-end-https',
  'client-ip',
  'x-host',
  'x-ssl',
  'x-varnish',
  'x-ws-proxy',
  'surrogate-capability',
  'proxy-connection',
  'max-forwards',
  'b3',
  'cdn-loop',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
])

const PREFIXES = [
  'x-forwarded',
  'x-original-',
  'x-remote-',
  'x-proxy-',
  'x-ssl-',
  'ssl-client-',
  'x-b3-',
  'x-envoy-',
  'x-haproxy-',
  'x-traefik-',
  'x-ngrok-',
  'tailscale-',
  'x-azure-',
  'x-appengine-',
  'x-vercel-',
  'x-nf-',
  'x-cf-',
  'x-vcap-',
  'x-sucuri-',
  'incap-',
  'akamai-',
  'x-akamai-',
  'cf-',
  'fly-',
]

/** One expression for all prefixes, because it is tested against every header of every request. */
const HAS_PREFIX = new RegExp(`^(?:${PREFIXES.join('|')})`)

/** Whether a header, named in lower case, shows that the request came through a proxy. */
export function isForwardingHeader(name: string): boolean {
  return NAMES.has(name) || HAS_PREFIX.test(name)
}
