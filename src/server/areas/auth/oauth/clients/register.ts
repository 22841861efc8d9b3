import { oauthRegister } from '#contract/auth/oauth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { secondsText } from '#contract/core/seconds-text.ts'
import { newId } from '#edge/ids.ts'
import { parseJson } from '#edge/input/parse-json.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { addressBlock } from '#lib/net/address/address-block.ts'
import { DAY_MS, type OAuthDeps } from '../deps.ts'
import type { SerialQueue } from '../serial-queue.ts'
import { deleteExpired, insertRegistration, lockRegistrations } from '../store/clients.ts'
import { MetadataFault, readMetadata } from './client-metadata.ts'
import { makeRoom, type Newcomer, newcomerOf } from './registration-capacity.ts'

const REGISTRATION_DAYS = 30

/** RFC 7591 dynamic client registration. */
export function registerRoute(deps: OAuthDeps, inQueue: SerialQueue): Route {
  return route(oauthRegister, async (_, { request, clientAddress }) => {
    try {
      const metadata = readMetadata(await readJson(request), 'strict', deps.redirectSchemes)
      const newcomer = newcomerOf(metadata, addressBlock(clientAddress))
      const outcome = await inQueue(() => deps.db.tx((tx) => register(tx, deps, newcomer)))
      return 'retryAfterSeconds' in outcome ? full(outcome.retryAfterSeconds) : answer(201, outcome)
    } catch (error) {
      if (!(error instanceof MetadataFault)) throw error
      return answer(400, { error: error.code, error_description: error.message })
    }
  })
}

/** Runs under a lock, so that the number of registrations cannot change between counting and inserting. */
async function register(tx: Tx, { clock, keys }: OAuthDeps, newcomer: Newcomer) {
  await lockRegistrations(tx)
  // The time is read under the lock, because others may have been registered or shown while this one waited.
  const now = clock.now()
  await deleteExpired(tx, now)
  const room = await makeRoom(tx, newcomer, { epoch: keys.epoch, now })
  if ('retryAfterSeconds' in room) return room
  const { name, uri, redirectUris } = newcomer.metadata
  const client_id = newId('oac')
  await insertRegistration(tx, {
    client_id,
    client_name: name,
    client_uri: uri ?? null,
    redirect_uris: redirectUris,
    registered_from: newcomer.address,
    origin: newcomer.origin,
    created_at: now,
    place_since: room.placeSince,
    expires_at: new Date(now.getTime() + REGISTRATION_DAYS * DAY_MS),
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

function full(retryAfterSeconds: number): Response {
  const error_description =
    `Too many agents are registered. Try again in ${secondsText(retryAfterSeconds)}, disconnect an agent that is no longer ` +
    'used, or use a client metadata document.'
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return answer(429, { error: 'temporarily_unavailable', error_description }, headers)
}

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text()
  try {
    return parseJson(text)
  } catch (error) {
    const detail = error instanceof ServiceError ? error.message : 'The body is not valid JSON.'
    throw new MetadataFault('invalid_client_metadata', detail)
  }
}

function answer(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
