import { createHmacSha256, type HmacSha256 } from '#lib/crypto/hmac.ts'
import { isFor, readHs256, signHs256 } from '#lib/crypto/hs256.ts'
import { deriveKey } from '#lib/crypto/keys.ts'
import type { Clock } from '#lib/time/clock.ts'

/** The deploy of an app whose running instance holds the token. */
export type HostedWorkload = { readonly orgId: string; readonly appId: string; readonly deployId: string }

export const WORKLOAD_TOKEN_TYPE = 'workload+jwt'
/** A token is replaced long before, so that a machine that slept has a good one again soon. */
const WORKLOAD_TOKEN_SECONDS = 600
const ISSUER = 'worker'

type Options = {
  /** The secret that every process of one installation has. */
  readonly internalSecret: string
  readonly audience: string
  readonly clock: Clock
}

export type SignWorkload = (workload: HostedWorkload) => string

/** Signs the tokens of apps that run as processes of the host. */
export function createWorkloadSigner({ internalSecret, audience, clock }: Options): SignWorkload {
  const hmac = hmacOf(internalSecret)
  return ({ orgId, appId, deployId }) => {
    const iat = Math.floor(clock.now().getTime() / 1000)
    const bounds = { iss: ISSUER, aud: audience, iat, exp: iat + WORKLOAD_TOKEN_SECONDS }
    return signHs256({ ...bounds, sub: deployId, app: appId, org: orgId }, WORKLOAD_TOKEN_TYPE, hmac)
  }
}

type ReadWorkload = (token: string) => (HostedWorkload & { readonly expiresAt: Date }) | undefined

/** Returns undefined for anything but such a token that is good now. Does not check whether the deploy still runs. */
export function createWorkloadReader({ internalSecret, audience, clock }: Options): ReadWorkload {
  const hmac = hmacOf(internalSecret)
  return (token) => {
    const claims = readHs256(token, WORKLOAD_TOKEN_TYPE, hmac)
    const now = clock.now().getTime() / 1000
    if (!claims || !isFor(claims, { issuer: ISSUER, audience, now })) return undefined
    const { sub, app, org, iat, exp } = claims
    if (typeof sub !== 'string' || typeof app !== 'string' || typeof org !== 'string') return undefined
    if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > WORKLOAD_TOKEN_SECONDS) return undefined
    return { orgId: org, appId: app, deployId: sub, expiresAt: new Date(exp * 1000) }
  }
}

function hmacOf(internalSecret: string): HmacSha256 {
  return createHmacSha256(deriveKey(Buffer.from(internalSecret, 'hex'), 'workload-token'))
}
