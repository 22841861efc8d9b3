/** What the operator registers and sets for each identity provider. `origin` is the address that people use. */
export function providerSteps(origin: string) {
  return [
    {
      name: 'Google',
      redirectUri: `${origin}/auth/google/callback`,
      variables: [`SVC_REDIRECT_BASE_URL=${origin}`, 'SVC_GOOGLE_CLIENT_ID=', 'SVC_GOOGLE_CLIENT_SECRET='].join('\n'),
    },
    {
      name: 'Microsoft',
      redirectUri: `${origin}/auth/microsoft/callback`,
      variables: [
        `SVC_REDIRECT_BASE_URL=${origin}`,
        'SVC_MICROSOFT_CLIENT_ID=',
        'SVC_MICROSOFT_CLIENT_SECRET=',
        'SVC_MICROSOFT_TENANT_ID=',
      ].join('\n'),
    },
    {
      name: 'Another provider (OpenID Connect)',
      redirectUri: `${origin}/auth/oidc/callback`,
      variables: [
        `SVC_REDIRECT_BASE_URL=${origin}`,
        'SVC_OIDC_ISSUER=',
        'SVC_OIDC_CLIENT_ID=',
        'SVC_OIDC_CLIENT_SECRET=',
        'SVC_OIDC_LABEL=',
      ].join('\n'),
    },
  ]
}
