const PROVIDERS = [
  { name: 'Google', id: 'google', settings: ['SVC_GOOGLE_CLIENT_ID', 'SVC_GOOGLE_CLIENT_SECRET'] },
  {
    name: 'Microsoft',
    id: 'microsoft',
    settings: ['SVC_MICROSOFT_CLIENT_ID', 'SVC_MICROSOFT_CLIENT_SECRET', 'SVC_MICROSOFT_TENANT_ID'],
  },
  {
    name: 'Another provider (OpenID Connect)',
    id: 'oidc',
    settings: ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID', 'SVC_OIDC_CLIENT_SECRET', 'SVC_OIDC_LABEL'],
  },
]

/** Steps by which the operator sets up each identity provider. `origin` is the address that people use. */
export function providerSteps(origin: string) {
  return PROVIDERS.map(({ name, id, settings }) => ({
    name,
    redirectUri: `${origin}/auth/${id}/callback`,
    variables: [`SVC_REDIRECT_BASE_URL=${origin}`, ...settings.map((setting) => `${setting}=`)].join('\n'),
  }))
}
