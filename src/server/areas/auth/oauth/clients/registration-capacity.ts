import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import {
  type AsOf,
  countRegistrations,
  deleteClient,
  evictFromLargerHolder,
  evictUnused,
  findSpareGrants,
  findUnused,
  firstEvictableAt,
  type RegistrationGroup,
  replaceClients,
} from '../store/clients.ts'
import { revokeGrant } from '../store/grants.ts'
import type { ClientMetadata } from './client-metadata.ts'
import { isOnThisComputer, originOf, withoutPort } from './redirect-uri.ts'

const MAX_REGISTRATIONS = 100
const MAX_PER_ORIGIN = 5
/** Limit for registrations with a loopback redirect URI that nobody approved yet. */
const MAX_LOOPBACK_PER_ADDRESS = 20
/** How long a registration that was never approved is protected from newcomers whose address holds as many or more. */
const PROTECTED_MS = 10 * 60_000
/** Retry-After if all registrations belong to agents in use. */
const RETRY_SECONDS_IN_USE = 3600

/** A client that asks to be registered, with the address block it asks from and the origin it is counted under. */
export type Newcomer = { metadata: ClientMetadata; address: string; origin: string }

export function newcomerOf(metadata: ClientMetadata, address: string): Newcomer {
  return { metadata, address, origin: originOf(metadata.redirectUris[0]!, address, metadata.name) }
}

/**
 * Seconds to wait if there is no room, otherwise since when the newcomer, or the registration it replaces, holds its
 * place.
 */
type Room = { retryAfterSeconds: number } | { placeSince: Date }

/** Makes room for one registration within all limits, by evicting others if necessary and possible. */
export async function makeRoom(tx: Tx, newcomer: Newcomer, at: AsOf): Promise<Room> {
  let placeSince = earlier(at.now, await replaceUnusedOfSameProgram(tx, newcomer, at))
  for (const [group, limit] of limitsOf(newcomer)) {
    while ((await countRegistrations(tx, group, at.now)) >= limit) {
      if (await evictOne(tx, group, newcomer, at)) continue
      const replaced = await replaceOldestOfSameProgram(tx, newcomer, at)
      if (!replaced) return { retryAfterSeconds: await secondsUntilRoom(tx, group, newcomer, at) }
      placeSince = earlier(placeSince, replaced)
    }
  }
  return { placeSince }
}

function earlier(one: Date, other: Date | undefined): Date {
  return other && other < one ? other : one
}

function limitsOf({ metadata, address, origin }: Newcomer): readonly (readonly [RegistrationGroup, number])[] {
  const ofAddress = [{ unapprovedLoopbackOf: address }, MAX_LOOPBACK_PER_ADDRESS] as const
  return [
    [{ origin }, MAX_PER_ORIGIN],
    ...(isOnThisComputer(metadata.redirectUris[0]!) ? [ofAddress] : []),
    ['all', MAX_REGISTRATIONS],
  ]
}

async function evictOne(tx: Tx, group: RegistrationGroup, newcomer: Newcomer, at: AsOf): Promise<boolean> {
  return (
    (await evictUnused(tx, group, protectedSince(at), at)) ||
    (await evictFromLargerHolder(tx, group, newcomer.address, at)) ||
    (await endSpare(tx, group, at))
  )
}

/** Ends the connections of the registration that can best be spared, so that logging in again and again fills nothing. */
async function endSpare(tx: Tx, group: RegistrationGroup, at: AsOf): Promise<boolean> {
  const grants = await findSpareGrants(tx, group, at)
  for (const { id, client_id } of grants) {
    const ended = await revokeGrant(tx, { id, now: at.now })
    const detail = {
      client_name: ended?.client_name,
      reason: 'its place was needed, and another computer was used since',
    }
    if (ended)
      await audit(tx, { org_id: ended.org_id, actor: id, action: 'agent.replaced', target: id, detail, at: at.now })
    await deleteClient(tx, client_id)
  }
  return grants.length > 0
}

function protectedSince({ now }: AsOf): Date {
  return new Date(now.getTime() - PROTECTED_MS)
}

/**
 * Deletes unused registrations of the same program (name, address, redirect path), so that a program which registers at
 * every start holds one place. A registration is kept in its first minute and while an authorization of it is open,
 * because it may belong to a colleague behind the same address.
 */
async function replaceUnusedOfSameProgram(tx: Tx, newcomer: Newcomer, at: AsOf): Promise<Date | undefined> {
  return replaceClients(tx, await findSameProgram(tx, newcomer, at, 'excluded'), protectedSince(at), at.now)
}

/**
 * Used if there is no other way to make room: replaces the oldest registration of the same program, also one with an
 * open authorization, because anyone can open those. One whose consent page was shown to a signed-in user stays.
 */
async function replaceOldestOfSameProgram(tx: Tx, newcomer: Newcomer, at: AsOf): Promise<Date | undefined> {
  const oldest = (await findSameProgram(tx, newcomer, at, 'included')).slice(0, 1)
  return replaceClients(tx, oldest, protectedSince(at), at.now)
}

async function findSameProgram(
  tx: Tx,
  newcomer: Newcomer,
  at: AsOf,
  inFlight: 'excluded' | 'included',
): Promise<string[]> {
  const { name, redirectUris } = newcomer.metadata
  const pathsOf = (uris: readonly string[]) => uris.map(withoutPort).join(' ')
  const program = { client_name: name, registered_from: newcomer.address }
  const unused = await findUnused(tx, program, at, inFlight)
  const matching = unused.filter(({ redirect_uris }) => pathsOf(redirect_uris) === pathsOf(redirectUris))
  return matching.map(({ client_id }) => client_id)
}

async function secondsUntilRoom(tx: Tx, group: RegistrationGroup, { address }: Newcomer, at: AsOf): Promise<number> {
  const first = await firstEvictableAt(tx, group, address, PROTECTED_MS, at)
  if (!first) return RETRY_SECONDS_IN_USE
  return Math.max(1, Math.ceil((first.getTime() - at.now.getTime()) / 1000))
}
