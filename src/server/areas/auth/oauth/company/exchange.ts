import type { Scope } from '#contract/core/roles.ts'
import { ACCESS_TOKEN_SECONDS, createAccessTokenMaker } from '#edge/credentials/access-token.ts'
import { newId } from '#edge/ids.ts'
import { audit } from '#ports/audit.ts'
import { DAY_MS, type OAuthDeps, REFRESH_DAYS } from '../deps.ts'
import { findResource, type Resource, scopesFor } from '../resources.ts'
import { lockConnections } from '../store/connections.ts'
import { insertGrant } from '../store/grants.ts'
import { type Assertion, readAssertion } from './assertion.ts'
import { readCredentials, unknownClient } from './client-credentials.ts'
import { requireFirstUse } from './first-use.ts'
import type { VerifyAssertion } from './issuer-keys.ts'
import { extendConnection, findMember, findTrust, holdTrust, isRefused, type Trust } from './store.ts'
import { TokenRefusal } from './token-refusal.ts'

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The identity providers of this installation that an organization can trust, by their issuers. */
export type Issuers = ReadonlyMap<string, VerifyAssertion>

type Exchange = (request: Request, form: URLSearchParams, clientAddress: string) => Promise<Response>

/** Creates the exchange of an identity assertion for an access token. There is no refresh token. */
export function createExchange(deps: OAuthDeps, issuers: Issuers): Exchange {
  const makeToken = createAccessTokenMaker(deps.jwtSecret)
  const exchange = async (authorization: string | null, form: URLSearchParams, clientAddress: string) => {
    refuseRepeated(form)
    const client = await authenticate(deps, authorization, form)
    const { assertion, resource } = await readVouched(deps, issuers, client, form)
    const scopes = scopesOf(client, resource, assertion, form)
    const { grantId, userId } = await connect(deps, { client, assertion, resource, scopes, clientAddress })
    const access_token = makeToken({
      issuer: deps.publicUrls.issuer,
      resource: resource.id,
      userId,
      grantId,
      clientId: client.client_id,
      scopes,
      now: deps.clock.now(),
    })
    return {
      access_token,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      scope: scopes.join(' '),
      resource: resource.id,
    }
  }
  return async ({ headers }, form, clientAddress) => {
    const authorization = headers.get('authorization')
    try {
      const answer = await exchange(authorization, form, clientAddress)
      return Response.json(answer, { headers: { 'cache-control': 'no-store' } })
    } catch (error) {
      if (error instanceof TokenRefusal) return error.toResponse(authorization !== null)
      throw error
    }
  }
}

const PARAMETERS = ['grant_type', 'assertion', 'scope', 'resource', 'client_id', 'client_secret']

function refuseRepeated(form: URLSearchParams): void {
  const repeated = PARAMETERS.find((name) => form.getAll(name).length > 1)
  if (repeated !== undefined) throw new TokenRefusal('invalid_request', `${repeated} is there more than once`)
}

type TrustedClient = Trust & { client_id: string; issuer: string; scopes: Scope[] }

async function authenticate(
  { db, keys, clock }: OAuthDeps,
  authorization: string | null,
  form: URLSearchParams,
): Promise<TrustedClient> {
  const { client_id, secret } = readCredentials(authorization, form)
  if (client_id.length > 100 || client_id.includes('\0')) throw unknownClient()
  const trust = await findTrust(db, {
    client_id,
    hash: keys.hash('company_client', secret),
    epoch: keys.epoch,
    now: clock.now(),
  })
  if (!trust) throw unknownClient()
  const { issuer, scopes } = trust
  if (issuer === null || scopes === null) {
    throw new TokenRefusal('invalid_grant', 'the organization of this client trusts no identity provider for agents')
  }
  return { ...trust, client_id, issuer, scopes }
}

async function readVouched(
  { publicUrls, clock }: OAuthDeps,
  issuers: Issuers,
  { issuer, client_id, org_id }: TrustedClient,
  form: URLSearchParams,
): Promise<{ assertion: Assertion; resource: Resource }> {
  const text = form.get('assertion')
  if (!text) throw new TokenRefusal('invalid_request', 'assertion is missing')
  const verify = issuers.get(issuer)
  if (!verify) throw new TokenRefusal('invalid_grant', 'this installation no longer has that identity provider')
  const expected = { issuer, audience: publicUrls.issuer, client_id, org_id, now: clock.now() }
  const assertion = readAssertion(await verify(text), expected)
  const resource = findResource(publicUrls.mcp, assertion.resource)
  if (!resource || (form.get('resource') ?? resource.id) !== resource.id) {
    throw new TokenRefusal('invalid_target', 'the assertion is for another resource')
  }
  return { assertion, resource }
}

/** The scopes that the assertion, the request and the owner all allow. */
function scopesOf({ scopes: allowed }: TrustedClient, resource: Resource, { scope }: Assertion, form: URLSearchParams) {
  const requested = scopesFor(resource, form.get('scope'))
  const scopes = scopesFor(resource, scope).filter((one) => requested.includes(one) && allowed.includes(one))
  if (scopes.length === 0) throw new TokenRefusal('invalid_scope', 'none of the requested scopes is allowed')
  return scopes
}

type Vouched = {
  readonly client: TrustedClient
  readonly assertion: Assertion
  readonly resource: Resource
  readonly scopes: readonly Scope[]
  readonly clientAddress: string
}

/** Makes the connection, or extends the one that the same client has for the person. */
async function connect(
  { db, clock, keys }: OAuthDeps,
  { client, assertion, resource, scopes, clientAddress }: Vouched,
): Promise<{ grantId: string; userId: string }> {
  const { org_id, client_id, issuer } = client
  const now = clock.now()
  return db.tx(async (tx) => {
    await requireFirstUse(tx, issuer, assertion, now)
    if (!(await holdTrust(tx, client))) throw new TokenRefusal('invalid_grant', 'the trust was changed meanwhile')
    const user_id = await findMember(tx, { org_id, issuer, subject: assertion.subject })
    if (user_id === undefined) {
      throw new TokenRefusal('invalid_grant', 'no member of the organization has signed in with this identity')
    }
    await lockConnections(tx, user_id)
    if (await isRefused(tx, { org_id, user_id, client_id })) {
      throw new TokenRefusal('invalid_grant', 'the person or an admin disconnected this agent; they can allow it again')
    }
    const connection = { org_id, user_id, client_id, resource: resource.id, vouched_by: issuer, scopes }
    const expires_at = new Date(now.getTime() + REFRESH_DAYS * DAY_MS)
    const extension = { ...connection, offered: resource.scopes, epoch: keys.epoch, now, expires_at }
    const extended = await extendConnection(tx, extension)
    if (extended !== undefined) return { grantId: extended, userId: user_id }
    const id = newId('grt')
    await insertGrant(tx, {
      ...connection,
      id,
      client_name: client.name,
      redirect_host: '',
      epoch: keys.epoch,
      document: undefined,
      connected_from: clientAddress,
      connected_with: null,
      created_at: now,
      expires_at,
    })
    const detail = { client_id, client_name: client.name, vouched_by: issuer, scopes }
    await audit(tx, { org_id, actor: user_id, action: 'agent.connected', target: id, detail, at: now })
    return { grantId: id, userId: user_id }
  })
}
