/**
 * Whether a path is in its normal form. Another spelling of the same path (`/%61pi`, `//`, `/a/../b`, an encoded slash)
 * could pass a proxy's rule, or reach another service than the proxy expects.
 */
export function isPlainPath(target: string): boolean {
  const mark = target.search(/[?#]/)
  const path = mark === -1 ? target : target.slice(0, mark)
  if (!path.includes('%')) return !NOT_NORMAL.test(path)
  return !NOT_NORMAL.test(path) && [...path.matchAll(/%(..?)?/g)].every(([, hex]) => needsEncoding(hex))
}

const NOT_NORMAL = /\/\/|\\|\/\.\.?(?:\/|$)/

/** Whether a byte may be percent-encoded. Unreserved characters (RFC 3986 section 2.3), slashes and controls may not. */
function needsEncoding(hex: string | undefined): boolean {
  if (hex === undefined || !/^[0-9A-Fa-f]{2}$/.test(hex)) return false
  const code = Number.parseInt(hex, 16)
  if (code < 0x20 || code === 0x7f) return false
  return !/[A-Za-z0-9\-._~/\\]/.test(String.fromCharCode(code))
}
