import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Clock } from '#lib/clock.ts'

/** How this process speaks to the outside; the only way out of here. */
export type Outgoing = (request: Request) => Promise<Response>

export type OidcClient = {
  begin(redirectUri: string): Promise<Departure>
  /** The claims of the ID token, its signature, issuer, audience, nonce and times checked. */
  finish(answer: URL, kept: Kept): Promise<IDToken>
}

export type Departure = Kept & { url: string }
type Kept = { state: string; nonce: string; codeVerifier: string }

const DISCOVERED_FOR_MS = 3_600_000
const TIMEOUT_SECONDS = 10

type Options = { issuer: string; clientId: string; clientSecret: string; outgoing: Outgoing; clock: Clock }

export function createOidcClient(options: Options): OidcClient {
  const configuration = createDiscovery(options)
  return {
    begin: async (redirectUri) => {
      const kept = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await calculatePKCECodeChallenge(kept.codeVerifier),
        code_challenge_method: 'S256',
        // People say which account: the one that happens to be open there may be another's.
        prompt: 'select_account',
      })
      return { ...kept, url: url.href }
    },
    finish: async (answer, { state, nonce, codeVerifier }) => {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier }
      const tokens = await authorizationCodeGrant(await configuration(), answer, checks)
      return tokens.claims()!
    },
  }
}

/** Asked for once an hour; what failed is asked again by the next one. */
function createDiscovery({ issuer, clientId, clientSecret, outgoing, clock }: Options): () => Promise<Configuration> {
  let known: { configuration: Promise<Configuration>; until: number } | undefined
  const discover = () =>
    discovery(new URL(issuer), clientId, clientSecret, undefined, {
      // The token endpoint is reached over TLS, but keys that are published are there to be checked against.
      execute: [enableNonRepudiationChecks],
      timeout: TIMEOUT_SECONDS,
      [customFetch]: (url, init) => outgoing(new Request(url, init as RequestInit)),
    })
  return () => {
    const now = clock.now().getTime()
    if (known && known.until > now) return known.configuration
    const next = { configuration: discover(), until: now + DISCOVERED_FOR_MS }
    known = next
    next.configuration.catch(() => {
      if (known === next) known = undefined
    })
    return next.configuration
  }
}
