import { addressBlock } from '#lib/net/address/address-block.ts'
import { once } from '../send-and-watch.ts'

/** Counts the WebSockets of each client, by its address or its /64 of IPv6. */
export function createClientPlaces(limitOf: (address: string) => number) {
  const open = new Map<string, number>()
  return {
    /** Returns what gives the place back, or undefined if the client has as many as it may. */
    take(address: string): (() => void) | undefined {
      const block = addressBlock(address)
      const count = open.get(block) ?? 0
      if (count >= limitOf(address)) return undefined
      open.set(block, count + 1)
      return once(() => {
        const left = (open.get(block) ?? 0) - 1
        if (left > 0) open.set(block, left)
        else open.delete(block)
      })
    },
  }
}
