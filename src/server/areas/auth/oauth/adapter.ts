import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { audit } from '#edge/audit.ts'
import type { OAuthClient } from './client.ts'
import { INTERACTION_SECONDS, type OAuthDeps } from './deps.ts'
import { DocumentFault } from './documents.ts'
import { findClient } from './find-client.ts'
import { isSameRedirect } from './redirect-uri.ts'
import { endEarlierThan } from './replace.ts'
import {
  type ArtifactKind,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  replaceArtifact,
  upsertArtifact,
} from './store/artifacts.ts'
import { findLiveGrant, revokeGrant } from './store/grants.ts'

/** A refresh token reused within this time is taken as a client racing itself: refused, but nothing is revoked. */
const RACE_MS = 10_000

/** The library's storage, in our tables and by our rules. */
export function createAdapter(deps: OAuthDeps): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return clients(deps)
    if (name === 'Grant') return grants(deps)
    if (name === 'AuthorizationCode' || name === 'RefreshToken' || name === 'Interaction') return artifacts(deps, name)
    return nothing
  }
}

/** For what is not stored: the library's own session, since ours is used, and access tokens. */
const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

function clients(deps: OAuthDeps): Adapter {
  const find = async (id: string) => {
    const freshness = Provider.ctx?.oidc.route === 'authorization' ? 'fresh' : 'recent'
    try {
      const client = await findClient(deps, id, freshness)
      return client && toMetadata(client, askedRedirect(), deps.loopbackAnyPort)
    } catch (error) {
      if (error instanceof DocumentFault) throw new errors.InvalidClient(error.message)
      throw error
    }
  }
  return { ...nothing, find: oncePerRequest(find) }
}

/** Remembers the client for the request, because the library asks again for its error page and would fetch twice. */
function oncePerRequest(find: Adapter['find']): Adapter['find'] {
  const asked = new WeakMap<object, { id: string; found: ReturnType<Adapter['find']> }>()
  return (id) => {
    const request = Provider.ctx
    const before = request && asked.get(request)
    if (before?.id === id) return before.found
    const found = find(id)
    if (request) asked.set(request, { id, found })
    return found
  }
}

/** The redirect URI of the authorization request under way, if there is one. */
function askedRedirect(): string | undefined {
  const asked: unknown = Provider.ctx?.oidc.params?.redirect_uri ?? Provider.ctx?.query.redirect_uri
  return typeof asked === 'string' ? asked : undefined
}

/**
 * The type `web` makes the library compare redirects letter by letter; `native` would free the port of every loopback
 * one. So a redirect that is the registered one but for its port is added as it was asked for.
 */
function toMetadata(client: OAuthClient, asked: string | undefined, anyPort: boolean): AdapterPayload {
  const isOther = asked !== undefined && !client.redirectUris.includes(asked)
  const isSame = isOther && client.redirectUris.some((registered) => isSameRedirect(registered, asked, anyPort))
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: isSame ? [...client.redirectUris, asked] : [...client.redirectUris],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(client.document && { identity_digest: client.document.identityDigest }),
  }
}

function grants(deps: OAuthDeps): Adapter {
  const { db, clock, keys } = deps
  return {
    ...nothing,
    find: async (id) => {
      const row = await findLiveGrant(db, id, keys.epoch, clock.now())
      if (!row || !isSameClient(row.identity_digest)) return undefined
      return {
        jti: row.id,
        kind: 'Grant',
        accountId: row.user_id,
        clientId: row.client_id,
        resources: { [row.resource]: row.scopes.join(' ') },
        iat: seconds(row.created_at),
        exp: seconds(row.expires_at),
      }
    },
    destroy: async (id) => {
      const at = clock.now()
      const reason = Provider.ctx?.oidc.route === 'revocation' ? 'the agent gave it back' : 'a token was used twice'
      await db.tx(async (tx) => {
        const grant = await revokeGrant(tx, { id, now: at })
        const detail = { client_name: grant?.client_name, reason }
        if (grant) {
          await audit(tx, { org_id: grant.org_id, actor: id, action: 'agent.revoked', target: id, detail, at })
        }
      })
      deps.onRevoked()
    },
  }
}

/** False when the client's document names other redirects or keys than the approved one: a new approval is needed. */
function isSameClient(approved: string | null): boolean {
  if (approved === null) return true
  const current = Provider.ctx?.oidc.client?.identity_digest
  return current === undefined || current === approved
}

function artifacts(deps: OAuthDeps, kind: ArtifactKind): Adapter {
  const { db, clock, keys } = deps
  const hashOf = (id: string) => keys.hash('oauth', `${kind} ${id}`)
  const keyOf = (id: string) => ({ kind, hash: hashOf(id) })
  // A refresh token is used up together with the writing of its successor.
  const formers = new WeakMap<object, Buffer>()
  return {
    ...nothing,
    upsert: async (id, { jti: _, ...payload }, expiresIn = INTERACTION_SECONDS) => {
      const now = clock.now()
      const grant_id = kind === 'Interaction' ? null : (payload.grantId ?? null)
      const row = { grant_id, payload, expires_at: new Date(now.getTime() + expiresIn * 1000) }
      const former = Provider.ctx && formers.get(Provider.ctx)
      if (!former && kind === 'RefreshToken' && grant_id !== null)
        return issueFirst(deps, keyOf(id), { ...row, grant_id }, now)
      if (!former) return upsertArtifact(db, keyOf(id), row, now)
      if (!(await replaceArtifact(db, { ...keyOf(id), former }, row, now))) throw used()
    },
    find: async (id) => {
      const row = await findArtifact(db, keyOf(id), clock.now())
      if (!row) return undefined
      if (row.consumed_at === null) return { ...row.payload, jti: id }
      if (kind === 'Interaction') return { ...row.payload, jti: id }
      const raced = clock.now().getTime() - row.consumed_at.getTime() < RACE_MS
      if (kind === 'RefreshToken' && raced && Provider.ctx?.oidc.route === 'token') throw used()
      return { ...row.payload, jti: id, consumed: seconds(row.consumed_at) }
    },
    consume: async (id) => {
      if (kind === 'RefreshToken' && Provider.ctx) formers.set(Provider.ctx, hashOf(id))
      else if (!(await consumeArtifact(db, keyOf(id), clock.now()))) throw used()
    },
    destroy: async (id) => {
      const first = await deleteArtifact(db, keyOf(id))
      // The interaction was finished by another request: this one must not get a second code.
      if (kind === 'Interaction' && !first) throw new errors.SessionNotFound('this request is over')
    },
  }
}

/** Stores the first refresh token of an approval, and ends the approvals that this one replaces. */
async function issueFirst(
  deps: OAuthDeps,
  key: Parameters<typeof upsertArtifact>[1],
  row: Parameters<typeof upsertArtifact>[2] & { grant_id: string },
  now: Date,
): Promise<void> {
  const ended = await deps.db.tx(async (tx) => {
    await upsertArtifact(tx, key, row, now)
    return endEarlierThan(tx, deps, row.grant_id, now)
  })
  if (ended > 0) deps.onRevoked()
}

function used(): errors.InvalidGrant {
  return new errors.InvalidGrant('already used')
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
