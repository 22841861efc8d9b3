/** The three names of the machine itself that clients use, as a URL writes them (RFC 8252 section 7.3 and `localhost`). */
export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/** Whether the hostname of a URL is one of `LOOPBACK_NAMES`. Other addresses of 127.0.0.0/8 are not. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.includes(hostname)
}

/** Whether the hostname of a URL can only be this machine: a loopback name, or any address of 127.0.0.0/8. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Whether two addresses are one listener of this machine under two names, as `localhost` and `127.0.0.1` are. */
export function isOtherLoopbackName(address: string, other: string): boolean {
  const [one, two] = [new URL(address), new URL(other)]
  if (!isLoopback(one.hostname) || !isLoopback(two.hostname) || one.hostname === two.hostname) return false
  return one.protocol === two.protocol && one.port === two.port
}
