import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { ServiceError } from '#contract/core/errors.ts'
import { refuseInsecureAddress } from '#lib/net/address/refuse-insecure.ts'
import type { Clock } from '#lib/time/clock.ts'
import { TokenRefusal } from './token-refusal.ts'

const TYPE = 'oauth-id-jag+jwt'
/** No algorithm with a shared key: whoever can check such a signature can make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** A provider withdraws a key that was stolen. Whoever needs the keys more often than this needs the provider anyway. */
const KEYS_LIFETIME_MS = 600_000
/** A provider may have changed its keys. They are fetched again at most this often for assertions of unknown keys. */
const REFETCH_MS = 60_000
const TIMEOUT_MS = 10_000
const MAX_BYTES = 256 * 1024

/** Returns the claims of an assertion that the provider signed. Throws TokenRefusal for any other. */
export type VerifyAssertion = (assertion: string) => Promise<JWTPayload>

type Options = {
  readonly issuer: string
  readonly outgoing: (request: Request) => Promise<Response>
  readonly clock: Clock
}

export function createAssertionVerifier({ issuer, outgoing, clock }: Options): VerifyAssertion {
  const keys = createKeys(() => fetchKeys(issuer, outgoing), clock)
  const check = async (assertion: string, key: JWTVerifyGetKey) => {
    // The times are checked with the other claims. Here they would be compared with another tolerance.
    const options = {
      typ: TYPE,
      algorithms: ALGORITHMS,
      currentDate: new Date(0),
      clockTolerance: Number.MAX_SAFE_INTEGER,
    }
    return (await jwtVerify(assertion, key, options)).payload
  }
  return async (assertion) => {
    try {
      return await check(assertion, await keys.read(KEYS_LIFETIME_MS)).catch(async (error: unknown) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        return check(assertion, await keys.read(REFETCH_MS))
      })
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        throw new TokenRefusal('invalid_grant', 'the assertion is not signed by the identity provider as an ID-JAG')
      }
      // The parser throws it for a key that cannot be used, for instance because it is too short.
      if (error instanceof TypeError) throw unavailable(error)
      throw error
    }
  }
}

/** Keeps the keys of a provider. All who need them at the same time wait for one fetch. */
function createKeys(fetchSet: () => Promise<JWTVerifyGetKey>, clock: Clock) {
  let cached: { readonly at: number; readonly keys: JWTVerifyGetKey } | undefined
  let fetching: Promise<JWTVerifyGetKey> | undefined
  const fetchNow = async (at: number) => {
    try {
      const keys = await fetchSet()
      cached = { at, keys }
      return keys
    } finally {
      fetching = undefined
    }
  }
  return {
    read: async (maxAgeMs: number): Promise<JWTVerifyGetKey> => {
      const at = clock.now().getTime()
      if (cached && at - cached.at < maxAgeMs) return cached.keys
      fetching ??= fetchNow(at)
      return fetching
    },
  }
}

async function fetchKeys(issuer: string, outgoing: Options['outgoing']): Promise<JWTVerifyGetKey> {
  try {
    const metadata = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, outgoing)
    if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string')
      throw new Error('no metadata of this issuer')
    return createLocalJWKSet((await fetchJson(metadata.jwks_uri, outgoing)) as unknown as JSONWebKeySet)
  } catch (cause) {
    throw unavailable(cause)
  }
}

function unavailable(cause: unknown): ServiceError {
  const detail = 'The identity provider of the company did not answer with its keys. Try again.'
  return new ServiceError('UNAVAILABLE', detail, { cause, retryAfterSeconds: 5 })
}

async function fetchJson(url: string, outgoing: Options['outgoing']): Promise<Record<string, unknown>> {
  refuseInsecureAddress(url)
  const response = await outgoing(new Request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }))
  if (!response.ok) throw new Error(`status ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
}
