import { Resolver } from 'node:dns/promises'
import type { Resolve } from '../connector.ts'

/**
 * Creates a resolver that asks the name servers itself. Unlike `systemResolve` it uses no thread of the pool that the
 * whole process shares for files, so that callers who are not trusted cannot block it with names that answer slowly.
 * It knows no names of /etc/hosts.
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    const list = (found: typeof four, family: number) =>
      found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : []
    return [...list(four, 4), ...list(six, 6)]
  }
}
