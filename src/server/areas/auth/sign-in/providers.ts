import type { IDToken } from 'openid-client'
import { Email } from '#contract/auth/auth.ts'
import type { Clock } from '#lib/clock.ts'
import { microsoftFault, microsoftVouchesForEmail } from './microsoft.ts'
import { createOidcClient, type OidcClient, type Outgoing } from './oidc.ts'

type ProviderName = 'google' | 'microsoft'

/** A user as an identity provider describes them. `verifiedEmail` is set only if the provider vouches for it. */
export type Identity = { issuer: string; subject: string; verifiedEmail: string | undefined; name: string | undefined }

export type Provider = {
  readonly name: ProviderName
  readonly label: string
  readonly client: OidcClient
  /** Returns why the claims are refused, as text for the log, or undefined if they are accepted. */
  faultOf(claims: IDToken): string | undefined
  vouchesForEmail(claims: IDToken): boolean
}

type Credentials = { clientId: string; clientSecret: string }
export type ProviderSettings = {
  google: Credentials | undefined
  microsoft: (Credentials & { tenantId: string }) | undefined
}

export function createProviders(
  { google, microsoft }: ProviderSettings,
  deps: { outgoing: Outgoing; clock: Clock },
): readonly Provider[] {
  return [
    ...(google
      ? [
          {
            name: 'google' as const,
            label: 'Google',
            client: createOidcClient({ ...deps, ...google, issuer: 'https://accounts.google.com' }),
            faultOf: () => undefined,
            vouchesForEmail: (claims: IDToken) => claims.email_verified === true,
          },
        ]
      : []),
    ...(microsoft
      ? [
          {
            name: 'microsoft' as const,
            label: 'Microsoft',
            client: createOidcClient({ ...deps, ...microsoft, issuer: issuerOf(microsoft.tenantId) }),
            faultOf: (claims: IDToken) => microsoftFault(claims, microsoft.tenantId),
            vouchesForEmail: (claims: IDToken) => microsoftVouchesForEmail(claims, microsoft.tenantId),
          },
        ]
      : []),
  ]
}

function issuerOf(tenantId: string): string {
  return `https://login.microsoftonline.com/${tenantId}/v2.0`
}

export function readIdentity(provider: Provider, claims: IDToken): Identity {
  const email = Email.safeParse(claims.email)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    verifiedEmail: email.success && provider.vouchesForEmail(claims) ? email.data : undefined,
    name: typeof claims.name === 'string' && claims.name !== '' ? claims.name.slice(0, 100) : undefined,
  }
}
