import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressBlock } from '#lib/net/address/address-block.ts'
import { plainAddress } from './request-info.ts'

export type ConnectionLimits = {
  /** Connections at once. */
  readonly total: number
  /** Connections at once of one address, or of one /64 of IPv6. */
  readonly perAddress: (address: string) => number
}

/**
 * Ends each connection that is over a limit when it is accepted, before a byte of it is kept. Returns the function that
 * gives back the place of a connection that was taken over and is counted elsewhere.
 */
export function limitConnections(server: Server, { total, perAddress }: ConnectionLimits): (socket: Socket) => void {
  const open = new Map<string, number>()
  const places = new WeakMap<Socket, () => void>()
  server.maxConnections = total
  // Clients that only keep a connection for later give way to those who have a request.
  server.on('drop', () => server.closeIdleConnections())
  server.on('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const block = addressBlock(address)
    const count = open.get(block) ?? 0
    if (count >= perAddress(address)) return void socket.destroy()
    open.set(block, count + 1)
    const giveBack = () => {
      if (!places.delete(socket)) return
      const left = (open.get(block) ?? 0) - 1
      if (left > 0) open.set(block, left)
      else open.delete(block)
    }
    places.set(socket, giveBack)
    socket.once('close', giveBack)
  })
  return (socket) => {
    places.get(socket)?.()
    server.maxConnections++
    socket.once('close', () => server.maxConnections--)
  }
}
