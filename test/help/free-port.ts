import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

const LOWEST = 10_240

/**
 * Returns a port of loopback that was free a moment ago, for programs that cannot choose one themselves. On Linux it is
 * none that the system gives to whoever asks for any port, which could take it before the program starts.
 */
export async function freePort(): Promise<number> {
  const end = firstGivenPort()
  for (;;) {
    const port = await tryPort(end > LOWEST ? randomInt(LOWEST, end) : 0)
    if (port !== undefined) return port
  }
}

/** The first port that Linux gives to whoever asks for any; other systems do not say. */
function firstGivenPort(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    return 0
  }
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
  const { port: free } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return free
}
