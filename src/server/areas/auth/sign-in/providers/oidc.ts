import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { refuseInsecureAddress } from '#lib/net/address/refuse-insecure.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { Profile } from './generic.ts'
import { clientSecretByMetadata, promptByMetadata } from './generic-client.ts'

/** Sends all HTTP requests of this file. */
export type Outgoing = (request: Request) => Promise<Response>

export type OidcClient = {
  /** Makes the URL of the provider's sign-in page and the secrets that its answer is checked against. */
  begin(redirectUri: string, isLinking: boolean): Promise<StartedAuthorization>
  /** Returns who signed in, after checking the ID token's signature, issuer, audience, nonce and times. */
  finish(answer: URL, secrets: FlowSecrets): Promise<SignedInPerson>
}

/** `profile` has the claims about the person: those of the ID token, or of the UserInfo endpoint if that was asked. */
export type SignedInPerson = { idToken: IDToken; profile: Profile }
export type StartedAuthorization = FlowSecrets & { url: string }
type FlowSecrets = { state: string; nonce: string; codeVerifier: string }

const DISCOVERY_LIFETIME_MS = 3_600_000
const TIMEOUT_SECONDS = 10

type Options = {
  issuer: string
  clientId: string
  clientSecret: string
  outgoing: Outgoing
  clock: Clock
  /** Set for a provider that we know only by its metadata, which then decides where OpenID Connect leaves a choice. */
  generic?: { needsUserInfo(idToken: IDToken): boolean }
}

export function createOidcClient(options: Options): OidcClient {
  const { generic } = options
  const metadata = createDiscovery(options)
  return {
    begin: async (redirectUri, isLinking) => {
      const configuration = await metadata.read()
      const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        // Asks which account to use: the browser may be signed in to another person's account at the provider.
        ...(generic ? promptByMetadata(configuration.serverMetadata(), isLinking) : { prompt: 'select_account' }),
      })
      return { ...secrets, url: url.href }
    },
    finish: async (answer, { state, nonce, codeVerifier }) => {
      const configuration = await metadata.read()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier }
      const tokens = await authorizationCodeGrant(configuration, answer, checks).catch((error: unknown) => {
        // The provider may have changed its keys. Its metadata and keys are fetched anew for the next sign-in.
        if (isKeyMissing(error)) metadata.drop()
        throw error
      })
      const idToken = tokens.claims()!
      if (!generic?.needsUserInfo(idToken) || !configuration.serverMetadata().userinfo_endpoint) {
        return { idToken, profile: idToken }
      }
      return { idToken, profile: await fetchUserInfo(configuration, tokens.access_token, idToken.sub) }
    },
  }
}

function isKeyMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OAUTH_KEY_SELECTION_FAILED'
}

/** Fetches the provider's metadata at most once an hour. A failed fetch is repeated by the next caller. */
function createDiscovery({ issuer, clientId, clientSecret, outgoing, clock, generic }: Options) {
  let cached: { configuration: Promise<Configuration>; until: number } | undefined
  const discover = () =>
    discovery(new URL(issuer), clientId, clientSecret, generic && clientSecretByMetadata(clientSecret), {
      execute: [
        // Checks the ID token's signature too, although it comes from the token endpoint over TLS.
        enableNonRepudiationChecks,
        // Only the address of a generic provider can be http, and only on loopback (see config/sign-in.ts).
        ...(new URL(issuer).protocol === 'http:' ? [allowInsecureRequests] : []),
      ],
      timeout: TIMEOUT_SECONDS,
      [customFetch]: (url, init) => {
        refuseInsecureAddress(url)
        return outgoing(new Request(url, init as RequestInit))
      },
    })
  return {
    read: (): Promise<Configuration> => {
      const now = clock.now().getTime()
      if (cached && cached.until > now) return cached.configuration
      const next = { configuration: discover(), until: now + DISCOVERY_LIFETIME_MS }
      cached = next
      next.configuration.catch(() => {
        if (cached === next) cached = undefined
      })
      return next.configuration
    },
    drop: (): void => {
      cached = undefined
    },
  }
}
