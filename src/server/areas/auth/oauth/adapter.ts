import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import { audit } from '#ports/audit.ts'
import type { OAuthClient } from './client.ts'
import { DocumentFault } from './client-documents.ts'
import { INTERACTION_SECONDS, type OAuthDeps } from './deps.ts'
import { findClient } from './find-client.ts'
import { isSameRedirect } from './redirect-uri.ts'
import { revokeEarlierGrants } from './replace-grants.ts'
import {
  type ArtifactKind,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  replaceArtifact,
  upsertArtifact,
} from './store/artifacts.ts'
import { findLiveGrant, revokeGrant } from './store/grants.ts'

/**
 * A refresh token reused within this time is refused without revoking the grant, because clients send concurrent
 * refreshes.
 */
const REUSE_TOLERANCE_MS = 10_000

/** Implements the storage interface of oidc-provider on our tables. */
export function createAdapter(deps: OAuthDeps): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return clients(deps)
    if (name === 'Grant') return grants(deps)
    if (name === 'AuthorizationCode' || name === 'RefreshToken' || name === 'Interaction') return artifacts(deps, name)
    return emptyAdapter
  }
}

/** Stores emptyAdapter: used for access tokens and for the library's own session, in place of which ours is used. */
const emptyAdapter: Adapter = {
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
      return client && toMetadata(client, requestedRedirectUri(), deps.loopbackAnyPort)
    } catch (error) {
      if (error instanceof DocumentFault) throw new errors.InvalidClient(error.message)
      throw error
    }
  }
  return { ...emptyAdapter, find: oncePerRequest(find) }
}

/**
 * Caches the client for the request, because the library looks it up again for its error page and would fetch it twice.
 */
function oncePerRequest(find: Adapter['find']): Adapter['find'] {
  const clientByRequest = new WeakMap<object, { id: string; found: ReturnType<Adapter['find']> }>()
  return (id) => {
    const request = Provider.ctx
    const cached = request && clientByRequest.get(request)
    if (cached?.id === id) return cached.found
    const found = find(id)
    if (request) clientByRequest.set(request, { id, found })
    return found
  }
}

/** Returns the redirect URI of the current authorization request, if there is one. */
function requestedRedirectUri(): string | undefined {
  const redirectUri: unknown = Provider.ctx?.oidc.params?.redirect_uri ?? Provider.ctx?.query.redirect_uri
  return typeof redirectUri === 'string' ? redirectUri : undefined
}

/**
 * Describes a client to the library. With the type `web` the library compares redirect URIs character by character;
 * with `native` it would ignore the port of every loopback URI. A requested URI that differs from a registered one only
 * by an allowed port is therefore added to the list.
 */
function toMetadata(client: OAuthClient, requested: string | undefined, anyPort: boolean): AdapterPayload {
  const isUnlisted = requested !== undefined && !client.redirectUris.includes(requested)
  const isAllowed = isUnlisted && client.redirectUris.some((uri) => isSameRedirect(uri, requested, anyPort))
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: isAllowed ? [...client.redirectUris, requested] : [...client.redirectUris],
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
    ...emptyAdapter,
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

/**
 * Returns false if the client's document has other redirect URIs or keys than the approved one. A new approval is then
 * needed.
 */
function isSameClient(approved: string | null): boolean {
  if (approved === null) return true
  const current = Provider.ctx?.oidc.client?.identity_digest
  return current === undefined || current === approved
}

function artifacts(deps: OAuthDeps, kind: ArtifactKind): Adapter {
  const { db, clock, keys } = deps
  const hashOf = (id: string) => keys.hash('oauth', `${kind} ${id}`)
  const keyOf = (id: string) => ({ kind, hash: hashOf(id) })
  // The hash of the refresh token that the request uses up. It is consumed together with the insert of its successor.
  const formerByRequest = new WeakMap<object, Buffer>()
  return {
    ...emptyAdapter,
    upsert: async (id, { jti: _, ...payload }, expiresIn = INTERACTION_SECONDS) => {
      const now = clock.now()
      const grant_id = kind === 'Interaction' ? null : (payload.grantId ?? null)
      const row = { grant_id, payload, expires_at: new Date(now.getTime() + expiresIn * 1000) }
      const former = Provider.ctx && formerByRequest.get(Provider.ctx)
      if (!former && kind === 'RefreshToken' && grant_id !== null)
        return issueFirst(deps, keyOf(id), { ...row, grant_id }, now)
      if (!former) return upsertArtifact(db, keyOf(id), row, now)
      if (!(await replaceArtifact(db, { ...keyOf(id), former }, row, now))) throw alreadyUsed()
    },
    find: async (id) => {
      const row = await findArtifact(db, keyOf(id), clock.now())
      if (!row) return undefined
      if (row.consumed_at === null) return { ...row.payload, jti: id }
      if (kind === 'Interaction') return { ...row.payload, jti: id }
      const isRecent = clock.now().getTime() - row.consumed_at.getTime() < REUSE_TOLERANCE_MS
      if (kind === 'RefreshToken' && isRecent && Provider.ctx?.oidc.route === 'token') throw alreadyUsed()
      return { ...row.payload, jti: id, consumed: seconds(row.consumed_at) }
    },
    consume: async (id) => {
      if (kind === 'RefreshToken' && Provider.ctx) formerByRequest.set(Provider.ctx, hashOf(id))
      else if (!(await consumeArtifact(db, keyOf(id), clock.now()))) throw alreadyUsed()
    },
    destroy: async (id) => {
      const first = await deleteArtifact(db, keyOf(id))
      // Another request finished the interaction, so this one must not get a second code.
      if (kind === 'Interaction' && !first) throw new errors.SessionNotFound('this request has expired')
    },
  }
}

/** Stores the first refresh token of a grant and revokes the earlier grants that this one replaces. */
async function issueFirst(
  deps: OAuthDeps,
  key: Parameters<typeof upsertArtifact>[1],
  row: Parameters<typeof upsertArtifact>[2] & { grant_id: string },
  now: Date,
): Promise<void> {
  const ended = await deps.db.tx(async (tx) => {
    await upsertArtifact(tx, key, row, now)
    return revokeEarlierGrants(tx, deps, row.grant_id, now)
  })
  if (ended > 0) deps.onRevoked()
}

function alreadyUsed(): errors.InvalidGrant {
  return new errors.InvalidGrant('already used')
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
