import type { Tx } from '#lib/db/db.ts'
import { isLoopback } from '#lib/net/loopback.ts'
import type { ClientMetadata } from './client-metadata.ts'
import { originOf, withoutPort } from './redirect-uri.ts'
import {
  type At,
  countRegistrations,
  evictFromLargerHolder,
  evictUnused,
  findUnused,
  firstEvictableAt,
  replaceClients,
  type Scope,
} from './store/clients.ts'

const MAX_REGISTRATIONS = 100
const MAX_PER_ORIGIN = 5
/** Registrations with a loopback redirect that nobody approved yet. */
const MAX_LOOPBACK_PER_ADDRESS = 20
/** How long a registration that never finished an authorization is spared from newcomers that hold no less. */
const SPARED_MS = 10 * 60_000
/** When all places are held by agents that people use. */
const RETRY_SECONDS_IN_USE = 3600

/** A client that asks to be registered. */
export type Newcomer = { metadata: ClientMetadata; address: string; origin: string }

export function newcomerOf(metadata: ClientMetadata, address: string): Newcomer {
  return { metadata, address, origin: originOf(metadata.redirectUris[0]!, address, metadata.name) }
}

/** How many seconds to wait when there is no room, otherwise since when the newcomer or its predecessor has the place. */
type Room = { retryAfterSeconds: number } | { placeSince: Date }

/** Makes room for one registration, if that can be done. */
export async function makeRoom(tx: Tx, newcomer: Newcomer, at: At): Promise<Room> {
  let placeSince = earlier(at.now, await replaceEarlier(tx, newcomer, at))
  for (const [scope, limit] of limitsOf(newcomer)) {
    while ((await countRegistrations(tx, scope, at.now)) >= limit) {
      if (await evictOne(tx, scope, newcomer, at)) continue
      const replaced = await replaceOldestTwin(tx, newcomer, at)
      if (!replaced) return { retryAfterSeconds: await secondsUntilRoom(tx, scope, newcomer, at) }
      placeSince = earlier(placeSince, replaced)
    }
  }
  return { placeSince }
}

function earlier(one: Date, other: Date | undefined): Date {
  return other && other < one ? other : one
}

function limitsOf({ metadata, address, origin }: Newcomer): readonly (readonly [Scope, number])[] {
  const ofAddress = [{ unapprovedLoopbackOf: address }, MAX_LOOPBACK_PER_ADDRESS] as const
  return [
    [{ origin }, MAX_PER_ORIGIN],
    ...(isLoopback(new URL(metadata.redirectUris[0]!).hostname) ? [ofAddress] : []),
    ['all', MAX_REGISTRATIONS],
  ]
}

async function evictOne(tx: Tx, scope: Scope, newcomer: Newcomer, at: At): Promise<boolean> {
  return (
    (await evictUnused(tx, scope, sparedSince(at), at)) ||
    (await evictFromLargerHolder(tx, scope, newcomer.address, at))
  )
}

function sparedSince({ now }: At): Date {
  return new Date(now.getTime() - SPARED_MS)
}

/**
 * Deletes earlier registrations of the same program (name, address, redirect path) that nobody uses, so that a program
 * which registers at every start holds one place. A registration is spared while it is a minute old at most or an
 * authorization of it is open, because it can belong to a colleague behind the same address.
 */
async function replaceEarlier(tx: Tx, newcomer: Newcomer, at: At): Promise<Date | undefined> {
  return replaceClients(tx, await twinsOf(tx, newcomer, at, 'spared'), sparedSince(at), at.now)
}

/**
 * With no other way to make room, the newcomer replaces the oldest of its kind, also one with an open authorization:
 * anybody can open those. One whose consent page a signed-in person was shown stays.
 */
async function replaceOldestTwin(tx: Tx, newcomer: Newcomer, at: At): Promise<Date | undefined> {
  const oldest = (await twinsOf(tx, newcomer, at, 'included')).slice(0, 1)
  return replaceClients(tx, oldest, sparedSince(at), at.now)
}

async function twinsOf(tx: Tx, newcomer: Newcomer, at: At, inFlight: 'spared' | 'included'): Promise<string[]> {
  const { name, redirectUris } = newcomer.metadata
  const pathsOf = (uris: readonly string[]) => uris.map(withoutPort).join(' ')
  const like = { client_name: name, registered_from: newcomer.address }
  const unused = await findUnused(tx, like, at, inFlight)
  const twins = unused.filter(({ redirect_uris }) => pathsOf(redirect_uris) === pathsOf(redirectUris))
  return twins.map(({ client_id }) => client_id)
}

async function secondsUntilRoom(tx: Tx, scope: Scope, { address }: Newcomer, at: At): Promise<number> {
  const first = await firstEvictableAt(tx, scope, address, SPARED_MS, at)
  if (!first) return RETRY_SECONDS_IN_USE
  return Math.max(1, Math.ceil((first.getTime() - at.now.getTime()) / 1000))
}
