import type { IncomingMessage } from 'node:http'

/**
 * Takes the body at once if all of it arrived with the headers, as most do, instead of by events. Returns undefined while
 * a part is missing, and after the body was read in another way.
 */
export function takeWholeBody(incoming: IncomingMessage): Buffer | undefined {
  if (!incoming.complete || incoming.readableDidRead || incoming.destroyed) return undefined
  return (incoming.read() as Buffer | null) ?? undefined
}
