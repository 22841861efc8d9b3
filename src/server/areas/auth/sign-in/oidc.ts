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

/** Sends all HTTP requests of this file. */
export type Outgoing = (request: Request) => Promise<Response>

export type OidcClient = {
  /** Makes the URL of the provider's sign-in page and the secrets that its answer is checked against. */
  begin(redirectUri: string): Promise<StartedAuthorization>
  /** Returns the claims of the ID token after checking its signature, issuer, audience, nonce and times. */
  finish(answer: URL, secrets: FlowSecrets): Promise<IDToken>
}

export type StartedAuthorization = FlowSecrets & { url: string }
type FlowSecrets = { state: string; nonce: string; codeVerifier: string }

const DISCOVERY_LIFETIME_MS = 3_600_000
const TIMEOUT_SECONDS = 10

type Options = { issuer: string; clientId: string; clientSecret: string; outgoing: Outgoing; clock: Clock }

export function createOidcClient(options: Options): OidcClient {
  const configuration = createDiscovery(options)
  return {
    begin: async (redirectUri) => {
      const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        // Always asks which account to use: the browser may be signed in to another person's account at the provider.
        prompt: 'select_account',
      })
      return { ...secrets, url: url.href }
    },
    finish: async (answer, { state, nonce, codeVerifier }) => {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier }
      const tokens = await authorizationCodeGrant(await configuration(), answer, checks)
      return tokens.claims()!
    },
  }
}

/** Fetches the provider's metadata at most once an hour. A failed fetch is repeated by the next caller. */
function createDiscovery({ issuer, clientId, clientSecret, outgoing, clock }: Options): () => Promise<Configuration> {
  let cached: { configuration: Promise<Configuration>; until: number } | undefined
  const discover = () =>
    discovery(new URL(issuer), clientId, clientSecret, undefined, {
      // Checks the ID token's signature too, although it comes from the token endpoint over TLS.
      execute: [enableNonRepudiationChecks],
      timeout: TIMEOUT_SECONDS,
      [customFetch]: (url, init) => outgoing(new Request(url, init as RequestInit)),
    })
  return () => {
    const now = clock.now().getTime()
    if (cached && cached.until > now) return cached.configuration
    const next = { configuration: discover(), until: now + DISCOVERY_LIFETIME_MS }
    cached = next
    next.configuration.catch(() => {
      if (cached === next) cached = undefined
    })
    return next.configuration
  }
}
