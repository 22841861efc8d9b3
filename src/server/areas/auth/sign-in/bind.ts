import { newId } from '#edge/ids.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { ensureUser } from '../store/people.ts'
import type { Identity } from './providers/providers.ts'
import { SignInRefused } from './refusals.ts'
import { findByIdentity, insertIdentity, joinByDomain, lockUser, markFirstSignIn, type SignInUser } from './store.ts'

/**
 * Returns the user of an identity. An unknown identity is bound to the user with its verified email, who is created if
 * there is none, but only if that user has no identity yet, because an email address can change hands.
 */
export async function findOrBindUser(tx: Tx, identity: Identity, now: Date): Promise<SignInUser> {
  const bound = await findByIdentity(tx, identity.issuer, identity.subject)
  if (bound) return bound
  if (identity.verifiedEmail === undefined) throw new SignInRefused('unverified')
  const { id } = await ensureUser(tx, {
    id: newId('usr'),
    email: identity.verifiedEmail,
    name: identity.name ?? null,
    created_at: now,
  })
  const user = await lockUser(tx, id)
  if (!user.bound) return bind(tx, identity, user, now)
  const boundMeanwhile = await findByIdentity(tx, identity.issuer, identity.subject)
  if (boundMeanwhile) return boundMeanwhile
  throw new SignInRefused('signs_in_otherwise')
}

async function bind(tx: Tx, identity: Identity, user: SignInUser, now: Date): Promise<SignInUser> {
  await insertIdentity(tx, { ...identity, user_id: user.id, now })
  const detail = { issuer: identity.issuer }
  await audit(tx, { org_id: null, actor: user.id, action: 'identity.bound', target: user.id, detail, at: now })
  return user
}

/** Adds another identity to a user who is signed in. */
export async function linkIdentity(tx: Tx, identity: Identity, userId: string, now: Date): Promise<SignInUser> {
  const user = await lockUser(tx, userId)
  const added = await insertIdentity(tx, { ...identity, user_id: userId, now })
  const holder = await findByIdentity(tx, identity.issuer, identity.subject)
  if (holder?.id !== userId) throw new SignInRefused('linked_elsewhere')
  if (added) {
    const detail = { issuer: identity.issuer }
    await audit(tx, { org_id: null, actor: userId, action: 'identity.linked', target: userId, detail, at: now })
  }
  return user
}

/**
 * Records the first sign-in with a verified email and adds the user to the organization of its domain, if any (AU-06).
 */
export async function completeFirstSignIn(tx: Tx, identity: Identity, user: SignInUser, now: Date): Promise<void> {
  if (user.first_signed_in_at !== null || identity.verifiedEmail !== user.email) return
  await markFirstSignIn(tx, user.id, identity.name ?? null, now)
  const domain = user.email.slice(user.email.lastIndexOf('@') + 1)
  const orgId = await joinByDomain(tx, user.id, domain, now)
  if (orgId === undefined) return
  const entry = { org_id: orgId, actor: user.id, action: 'member.joined_by_domain', target: user.id }
  await audit(tx, { ...entry, detail: { domain }, at: now })
}
