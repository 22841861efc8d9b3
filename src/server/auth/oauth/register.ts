import { oauthRegister } from '#contract/oauth.ts'
import { type Route, route } from '#edge/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { newId } from '#lib/ids.ts'
import { addressBlock } from '#lib/net/address-block.ts'
import { type ClientMetadata, MetadataFault, readMetadata } from './client-metadata.ts'
import { DAY_MS, type OAuthDeps } from './deps.ts'
import { originOf, withoutPort } from './redirect-uri.ts'
import {
  countRegistrations,
  deleteClients,
  deleteExpired,
  evictCrowd,
  evictUnused,
  findUnused,
  insertRegistration,
  lockRegistrations,
} from './store/clients.ts'

const LASTS_DAYS = 30
const MOST = 100
const MOST_PER_ORIGIN = 5
const SPARED_MS = 3_600_000

export function registerRoute(deps: OAuthDeps): Route {
  return route(oauthRegister, async (_, { request, clientAddress }) => {
    try {
      const metadata = readMetadata(await readJson(request), 'strict')
      const made = await deps.db.tx((tx) => register(tx, deps, metadata, addressBlock(clientAddress)))
      return made ? answer(201, made) : answer(429, FULL, { 'retry-after': '3600' })
    } catch (error) {
      if (!(error instanceof MetadataFault)) throw error
      return answer(400, { error: error.code, error_description: error.message })
    }
  })
}

const FULL = {
  error: 'temporarily_unavailable',
  error_description: 'too many agents are registered: use one that is, or a client metadata document',
}

/** One at a time: what counts must not change between counting and adding. Undefined when there is no room. */
async function register(tx: Tx, { clock, keys }: OAuthDeps, metadata: ClientMetadata, address: string) {
  const now = clock.now()
  await lockRegistrations(tx)
  await deleteExpired(tx, now)
  const { name, uri, redirectUris } = metadata
  const origin = originOf(redirectUris[0]!, address)
  await replaceOwn(tx, metadata, address, keys.epoch, now)
  if (!(await makeRoom(tx, { epoch: keys.epoch, now }, origin))) return undefined
  const client_id = newId('oac')
  await insertRegistration(tx, {
    client_id,
    client_name: name,
    client_uri: uri ?? null,
    redirect_uris: redirectUris,
    registered_from: address,
    origin,
    created_at: now,
    expires_at: new Date(now.getTime() + LASTS_DAYS * DAY_MS),
  })
  return {
    client_id,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    client_name: name,
    ...(uri !== undefined && { client_uri: uri }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** A program that registers at every start leaves one registration behind, not thirty. */
async function replaceOwn(tx: Tx, { name, redirectUris }: ClientMetadata, address: string, epoch: string, now: Date) {
  const mine = redirectUris.map(withoutPort).join(' ')
  const before = await findUnused(tx, { client_name: name, registered_from: address }, epoch, now)
  const same = before.filter(({ redirect_uris }) => redirect_uris.map(withoutPort).join(' ') === mine)
  if (same.length > 0)
    await deleteClients(
      tx,
      same.map(({ client_id }) => client_id),
    )
}

/** Unused ones of more than an hour go first. Somebody who fills all places himself makes room with his own. */
async function makeRoom(tx: Tx, at: { epoch: string; now: Date }, origin: string): Promise<boolean> {
  const before = new Date(at.now.getTime() - SPARED_MS)
  const ofOrigin = await countRegistrations(tx, at.now, origin)
  if (ofOrigin >= MOST_PER_ORIGIN && !(await evictUnused(tx, { ...at, before, origin }))) return false
  if ((await countRegistrations(tx, at.now)) < MOST) return true
  return (await evictUnused(tx, { ...at, before })) || (await evictCrowd(tx, MOST_PER_ORIGIN, at))
}

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new MetadataFault('invalid_client_metadata', 'the body is no JSON')
  }
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
