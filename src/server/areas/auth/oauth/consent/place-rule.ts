/** The part of a connection that limits count. */
export type Place = { readonly client_id: string; readonly is_of_origin: boolean; readonly is_registered?: boolean }

/** The part of a connection that tells computers apart. */
export type UsedPlace = {
  readonly org_id: string
  readonly resource: string
  readonly connected_from: string | null
  readonly connected_with: string | null
  readonly created_at: Date
  readonly last_used_at: Date | null
}

/** Each computer of a person is a connection. */
const MAX_CONNECTIONS = 10
/**
 * Maximum number of self-registered clients that one person can have connected, because all people share 100
 * registrations. An agent on another computer registers itself again.
 */
export const MAX_REGISTRATIONS = 20
/** Maximum number of the five registrations of an https origin that one person may use. */
export const MAX_OF_ORIGIN = 2

/** The limit that leaves no place for a connection. */
export type Full = 'origin' | 'registrations'

/**
 * Counts the connections to an agent that have to end, the first ones first, so that one more fits within all limits.
 * `others` are the person's registrations that cannot end for it. Returns the limit that is reached if it would not fit
 * without all of the connections either.
 */
export function countToEnd(
  connections: readonly Place[],
  others: readonly Place[],
  asking: { readonly client_id: string; readonly isRegistered: boolean },
): number | Full {
  const fullWithout = (count: number): Full | 'connections' | undefined => {
    const staying = connections.slice(count)
    if (staying.length >= MAX_CONNECTIONS) return 'connections'
    return asking.isRegistered ? fullOf([...staying.filter(isRegistered), ...others], asking.client_id) : undefined
  }
  for (const count of connections.keys()) if (!fullWithout(count)) return count
  const full = fullWithout(connections.length)
  return full && full !== 'connections' ? full : connections.length
}

/**
 * Orders connections, the one unused for longest first, by which of them end first. Before all others come those that were
 * replaced: not used any more since the same computer connected again. Otherwise a computer that was off for some weeks
 * would end instead of what the others left behind.
 */
export function orderToEnd<T extends UsedPlace>(connections: readonly T[]): T[] {
  const isReplaced = (one: T) =>
    connections.some((other) => isSameComputer(one, other) && other.created_at > (one.last_used_at ?? one.created_at))
  const [replaced, current] = [connections.filter(isReplaced), connections.filter((one) => !isReplaced(one))]
  return [...replaced, ...current]
}

function isSameComputer(one: UsedPlace, other: UsedPlace): boolean {
  if (one.connected_from === null || one.connected_with === null) return false
  return (
    one.connected_from === other.connected_from &&
    one.connected_with === other.connected_with &&
    one.org_id === other.org_id &&
    one.resource === other.resource
  )
}

function fullOf(places: readonly Place[], asking: string): Full | undefined {
  const held = places.filter(({ client_id }) => client_id !== asking)
  if (countClients(held.filter(isOfOrigin)) >= MAX_OF_ORIGIN) return 'origin'
  return countClients(held) >= MAX_REGISTRATIONS ? 'registrations' : undefined
}

const isRegistered = ({ is_registered = false }: Place) => is_registered
const isOfOrigin = ({ is_of_origin }: Place) => is_of_origin

function countClients(places: readonly Place[]): number {
  return new Set(places.map(({ client_id }) => client_id)).size
}
