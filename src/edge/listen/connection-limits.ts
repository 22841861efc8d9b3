import type { Server } from 'node:http'
import { addressBlock } from '#lib/net/address/address-block.ts'
import { plainAddress } from './request-info.ts'

export type ConnectionLimits = {
  /** Connections at once. */
  readonly total: number
  /** Connections at once of one address, or of one /64 of IPv6. */
  readonly perAddress: (address: string) => number
}

/** Ends each connection that is over a limit when it is accepted, before a byte of it is kept. */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): void {
  const open = new Map<string, number>()
  server.maxConnections = total
  // Clients that only keep a connection for later give way to those who have a request.
  server.on('drop', () => server.closeIdleConnections())
  server.on('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const block = addressBlock(address)
    const count = open.get(block) ?? 0
    if (count >= perAddress(address)) return void socket.destroy()
    open.set(block, count + 1)
    socket.once('close', () => {
      const left = (open.get(block) ?? 0) - 1
      if (left > 0) open.set(block, left)
      else open.delete(block)
    })
  })
}
