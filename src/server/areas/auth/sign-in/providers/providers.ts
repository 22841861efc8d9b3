import type { IDToken } from 'openid-client'
import { Email } from '#contract/auth/auth.ts'
import type { Clock } from '#lib/time/clock.ts'
import { lacksEmail, type Profile, verifiedEmailClaim } from './generic.ts'
import { microsoftFault, microsoftVouchesForEmail } from './microsoft.ts'
import { createOidcClient, type OidcClient, type Outgoing, type SignedInPerson } from './oidc.ts'

type ProviderName = 'google' | 'microsoft' | 'oidc'

/** A user as an identity provider describes them. `verifiedEmail` is set only if the provider vouches for it. */
export type Identity = { issuer: string; subject: string; verifiedEmail: string | undefined; name: string | undefined }

export type Provider = {
  readonly name: ProviderName
  readonly label: string
  readonly client: OidcClient
  /** Returns why the claims of an ID token are refused, as text for the log, or undefined if they are accepted. */
  faultOf(claims: IDToken): string | undefined
  /** Returns the email claim if the provider vouches for it, otherwise undefined. */
  verifiedEmail(profile: Profile): unknown
}

type Credentials = { clientId: string; clientSecret: string }
type MicrosoftSettings = Credentials & { tenantId: string }
type GenericSettings = Credentials & { issuer: string; emailClaim: string; label: string }
export type ProviderSettings = {
  google: Credentials | undefined
  microsoft: MicrosoftSettings | undefined
  /** Any other provider that speaks OpenID Connect. */
  oidc: GenericSettings | undefined
}

type Deps = { outgoing: Outgoing; clock: Clock }

export function createProviders({ google, microsoft, oidc }: ProviderSettings, deps: Deps): readonly Provider[] {
  return [
    ...(google ? [createGoogle(google, deps)] : []),
    ...(microsoft ? [createMicrosoft(microsoft, deps)] : []),
    ...(oidc ? [createGeneric(oidc, deps)] : []),
  ]
}

function createGoogle(settings: Credentials, deps: Deps): Provider {
  return {
    name: 'google',
    label: 'Google',
    client: createOidcClient({ ...deps, ...settings, issuer: 'https://accounts.google.com' }),
    faultOf: () => undefined,
    verifiedEmail: (profile) => (profile.email_verified === true ? profile.email : undefined),
  }
}

function createMicrosoft({ tenantId, ...credentials }: MicrosoftSettings, deps: Deps): Provider {
  const issuer = `https://login.microsoftonline.com/${tenantId}/v2.0`
  return {
    name: 'microsoft',
    label: 'Microsoft',
    client: createOidcClient({ ...deps, ...credentials, issuer }),
    faultOf: (claims) => microsoftFault(claims, tenantId),
    verifiedEmail: (profile) => (microsoftVouchesForEmail(profile, tenantId) ? profile.email : undefined),
  }
}

function createGeneric({ issuer, emailClaim, label, ...credentials }: GenericSettings, deps: Deps): Provider {
  const needsUserInfo = (claims: IDToken) => lacksEmail(claims, emailClaim)
  return {
    name: 'oidc',
    label,
    client: createOidcClient({ ...deps, ...credentials, issuer, generic: { needsUserInfo } }),
    // Discovery compares addresses as URLs. Identities are stored by the issuer's text, so that must be equal too.
    faultOf: ({ iss }) => (iss === issuer ? undefined : `iss is ${iss}, and SVC_OIDC_ISSUER is ${issuer}`),
    verifiedEmail: (profile) => verifiedEmailClaim(profile, emailClaim),
  }
}

export function readIdentity(provider: Provider, { idToken, profile }: SignedInPerson): Identity {
  const email = Email.safeParse(provider.verifiedEmail(profile))
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    verifiedEmail: email.success ? email.data : undefined,
    name: typeof profile.name === 'string' && profile.name !== '' ? profile.name.slice(0, 100) : undefined,
  }
}
