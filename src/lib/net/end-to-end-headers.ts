/** Headers that describe one connection (RFC 9110 section 7.6.1) and are not passed on. */
export const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Returns headers, given as names and values in turn, without those that belong to the connection they came by. */
export function endToEnd(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, n) => (n % 2 === 0 ? [[name, raw[n + 1] ?? ''] as const] : []))
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase()))
  const dropped = new Set([...CONNECTION_HEADERS, ...named])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}
