import { oauthMetadata } from '#contract/auth/oauth.ts'
import { type Route, route } from '#edge/route/route.ts'
import { JWT_BEARER } from './company/exchange.ts'
import type { OAuthDeps } from './deps.ts'
import { OFFERED_SCOPES } from './resources.ts'

const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

type Deps = Pick<OAuthDeps, 'publicUrls' | 'clientDocuments' | 'companyIssuers'>

/** RFC 8414 metadata. Written by hand, because the library would also advertise features that are off here. */
export function discoveryRoute({ publicUrls, clientDocuments, companyIssuers }: Deps): Route {
  const takesAssertions = companyIssuers.length > 0
  return route(oauthMetadata, async () => {
    const { issuer } = publicUrls
    return Response.json(
      {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        registration_endpoint: `${issuer}/oauth/register`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token', ...(takesAssertions ? [JWT_BEARER] : [])],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: [
          'none',
          ...(takesAssertions ? ['client_secret_basic', 'client_secret_post'] : []),
        ],
        revocation_endpoint_auth_methods_supported: ['none'],
        scopes_supported: OFFERED_SCOPES,
        authorization_response_iss_parameter_supported: true,
        ...(takesAssertions && { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }),
        ...(clientDocuments && { client_id_metadata_document_supported: true }),
      },
      { headers: { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } },
    )
  })
}
