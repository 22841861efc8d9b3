import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { audit } from '#ports/audit.ts'
import type { OAuthClient } from './clients/client.ts'
import { DocumentFault } from './clients/client-documents.ts'
import { findClient } from './clients/find-client.ts'
import { hasOwnScheme, isSameRedirect } from './clients/redirect-uri.ts'
import { makePlace } from './consent/make-place.ts'
import { INTERACTION_SECONDS, type OAuthDeps } from './deps.ts'
import {
  type ArtifactKind,
  consumeArtifact,
  deleteArtifact,
  findArtifact,
  hasUnusedSuccessor,
  insertArtifact,
  markAnswered,
  replaceArtifact,
  upsertArtifact,
} from './store/artifacts.ts'
import { findLiveGrant, revokeGrant } from './store/grants.ts'
import { successorOf } from './successor.ts'

/**
 * A refresh token that is used again within this time gets the successor of its first use again, unless that was used
 * already. Clients send concurrent refreshes, lose answers, and give up their tokens when a refresh is refused.
 */
const REPEAT_MS = 30_000
/** After its successor was used, it is refused for this time without revoking the grant: a window may just be late. */
const LATE_MS = 10_000
/** Both times are longer by this, because the token may have been used at a replica whose clock differs by as much. */
const CLOCK_DIFFERENCE_MS = 5_000

/** Implements the storage interface of oidc-provider on our tables. */
export function createAdapter(deps: OAuthDeps): (name: string) => Adapter {
  const usedByRequest: UsedByRequest = new WeakMap()
  return (name) => {
    if (name === 'Client') return clients(deps)
    if (name === 'Grant') return grants(deps)
    if (name === 'AuthorizationCode' || name === 'RefreshToken' || name === 'Interaction')
      return artifacts(deps, name, usedByRequest)
    return emptyAdapter
  }
}

/** Stores and finds nothing: access tokens are not stored, and our own session is used instead of the library's. */
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
 * Describes a client to the library. With the type `web` the library compares redirect URIs character by character, but
 * refuses clients that list a scheme of their own; with `native` it accepts those, but would ignore the port of every
 * loopback URI. So a client is native only as far as it uses its own scheme.
 */
function toMetadata(client: OAuthClient, requested: string | undefined, anyPort: boolean): AdapterPayload {
  const [schemes, pages] = [
    client.redirectUris.filter(hasOwnScheme),
    client.redirectUris.filter((uri) => !hasOwnScheme(uri)),
  ]
  const isNative = pages.length === 0 || (requested !== undefined && schemes.includes(requested))
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: isNative ? schemes : withRequested(pages, requested, anyPort),
    application_type: isNative ? 'native' : 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(client.document && { identity_digest: client.document.identityDigest }),
  }
}

/** Adds a requested URI that differs from a registered one only by an allowed port. */
function withRequested(registered: string[], requested: string | undefined, anyPort: boolean): string[] {
  if (requested === undefined || registered.includes(requested)) return registered
  return registered.some((uri) => isSameRedirect(uri, requested, anyPort)) ? [...registered, requested] : registered
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

/**
 * The code or refresh token that a token request uses up, by its request. It is consumed together with the insert of the
 * refresh token that the request gets, because a fault between the two would cost the person their connection.
 */
type UsedByRequest = WeakMap<object, { readonly kind: ArtifactKind; readonly hash: Buffer }>

function artifacts(deps: OAuthDeps, kind: ArtifactKind, usedByRequest: UsedByRequest): Adapter {
  const { db, clock, keys } = deps
  const hashOf = (id: string) => keys.hash('oauth', `${kind} ${id}`)
  const keyOf = (id: string) => ({ kind, hash: hashOf(id) })
  const answers = createAnswers(deps, kind)
  const isRepeatable = async (former: Buffer, successor: string) => {
    const now = clock.now()
    const since = new Date(now.getTime() - REPEAT_MS - CLOCK_DIFFERENCE_MS)
    const sentAt = answers.sentAt(former)
    if (sentAt && sentAt <= since) return false
    const isSent = sentAt !== undefined
    return hasUnusedSuccessor(db, { kind, former, successor: hashOf(successor), isSent }, since, now)
  }
  return {
    ...emptyAdapter,
    upsert: async (id, { jti: _, ...payload }, expiresIn = INTERACTION_SECONDS) => {
      const now = clock.now()
      const grant_id = kind === 'Interaction' ? null : (payload.grantId ?? null)
      const row = { grant_id, payload, expires_at: new Date(now.getTime() + expiresIn * 1000) }
      const used = kind === 'RefreshToken' && Provider.ctx ? usedByRequest.get(Provider.ctx) : undefined
      if (!used) return upsertArtifact(db, keyOf(id), row, now)
      if (used.kind === 'AuthorizationCode')
        return issueFirst(deps, { code: used, token: keyOf(id) }, { ...row, grant_id: grant_id! }, now)
      const former = used.hash
      answers.follow(Provider.ctx!, former)
      if (await replaceArtifact(db, { ...keyOf(id), former }, row, now)) return
      // A concurrent request with the same token was first. It stored the same successor.
      if (!(await isRepeatable(former, id))) throw alreadyUsed()
    },
    find: async (id) => {
      const row = await findArtifact(db, keyOf(id), clock.now())
      if (!row) return undefined
      if (row.consumed_at === null) return { ...row.payload, jti: id }
      if (kind === 'Interaction') return { ...row.payload, jti: id }
      if (kind === 'RefreshToken' && Provider.ctx?.oidc.route === 'token') {
        if (await isRepeatable(hashOf(id), successorOf(keys, id))) return { ...row.payload, jti: id }
        if (clock.now().getTime() - row.consumed_at.getTime() < LATE_MS + CLOCK_DIFFERENCE_MS) throw alreadyUsed()
      }
      return { ...row.payload, jti: id, consumed: seconds(row.consumed_at) }
    },
    consume: async (id) => {
      if (kind === 'Interaction' || !Provider.ctx) throw new Error(`${kind} consumed outside a token request`)
      if (kind === 'RefreshToken') refuseOtherResource(Provider.ctx)
      usedByRequest.set(Provider.ctx, keyOf(id))
    },
    destroy: async (id) => {
      const first = await deleteArtifact(db, keyOf(id))
      // Another request finished the interaction, so this one must not get a second code.
      if (kind === 'Interaction' && !first) throw new errors.SessionNotFound('this request has expired')
    },
  }
}

/**
 * Remembers which refreshes were answered. Their clients have the successor, so the token before it is repeatable for a
 * short time only. If the process is killed before, nobody has it.
 */
function createAnswers({ db, clock, log }: OAuthDeps, kind: ArtifactKind) {
  const sent = new Map<string, Date>()
  const store = async (hash: Buffer) => {
    const [key, now] = [hash.toString('base64'), clock.now()]
    sent.set(key, now)
    await markAnswered(db, { kind, hash }, now).catch((error: unknown) =>
      log.warn({ error }, 'the answer to a refresh was not recorded'),
    )
    sent.delete(key)
  }
  return {
    /** Returns when the answer was sent, while that is being stored. */
    sentAt: (hash: Buffer) => sent.get(hash.toString('base64')),
    follow({ res }: KoaContextWithOIDC, former: Buffer): void {
      res.once('finish', () => {
        if (res.statusCode === 200) void store(former)
      })
    },
  }
}

type ArtifactKey = Parameters<typeof insertArtifact>[1]

/**
 * Consumes a code, stores the first refresh token of its grant and ends the connections that this one takes the place of,
 * all or nothing. Throws InvalidGrant if the code was consumed before.
 */
async function issueFirst(
  deps: OAuthDeps,
  { code, token }: { code: ArtifactKey; token: ArtifactKey },
  row: Parameters<typeof insertArtifact>[2] & { grant_id: string },
  now: Date,
): Promise<void> {
  const ended = await deps.db.tx(async (tx) => {
    const places = await makePlace(tx, deps, row.grant_id, now)
    if (!(await consumeArtifact(tx, code, now))) throw alreadyUsed()
    await insertArtifact(tx, token, row)
    return places
  })
  if (ended > 0) deps.onRevoked()
}

/** The library would refuse it too, but only after it has used the refresh token up. */
function refuseOtherResource({ oidc }: KoaContextWithOIDC): void {
  const asked = oidc.params?.resource
  const granted = [oidc.entities.RefreshToken?.resource].flat()
  if (asked !== undefined && !granted.some((resource) => resource === asked))
    throw new errors.InvalidTarget('the refresh token is for another resource')
}

function alreadyUsed(): errors.InvalidGrant {
  return new errors.InvalidGrant('already used')
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}
