import { isLoopback } from '#lib/net/address/loopback.ts'
import type { EnvironmentReader } from './reader.ts'
import { SERVICE_NAMES } from './service-table.ts'
import type { ServiceSettings } from './services.ts'

export type SignInSettings = ReturnType<typeof readSignIn>

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Claims of the scope `profile` that providers let people edit, so that they say nothing about who owns an address. */
const EDITABLE_CLAIMS = ['name', 'nickname', 'preferred_username', 'given_name', 'family_name', 'profile', 'website']
const TENANT_GROUPS = ['common', 'organizations', 'consumers']

/** `hasHostedLogin`: people sign in at another installation and are sent back, which needs an address of this one. */
export function readSignIn(read: EnvironmentReader, hasHostedLogin: boolean) {
  const google = read.client('GOOGLE')
  const settings = {
    google,
    microsoft: readMicrosoft(read),
    /** Any other provider that speaks OpenID Connect. `emailClaim` names the claim with the verified email address. */
    oidc: readGeneric(read),
    /** Address people see, without a trailing slash. */
    redirectBaseUrl: readOwnUrl(read),
    allowedRedirectBaseUrls: read
      .list('SVC_ALLOWED_REDIRECT_BASE_URLS')
      .flatMap((text) => readBaseUrl(read, 'SVC_ALLOWED_REDIRECT_BASE_URLS', text) ?? []),
  }
  const configured = google ? 'GOOGLE' : settings.microsoft ? 'MICROSOFT' : settings.oidc ? 'OIDC' : undefined
  if (read.text('SVC_REDIRECT_BASE_URL') === undefined) {
    if (configured)
      read.fault(`SVC_${configured}_CLIENT_ID requires SVC_REDIRECT_BASE_URL: the address that people use`)
    if (hasHostedLogin) read.fault('AUTH_LOGIN_URL requires SVC_REDIRECT_BASE_URL: the address that people return to')
  }
  return Object.freeze(settings)
}

function readMicrosoft(read: EnvironmentReader) {
  const provider = read.client('MICROSOFT')
  const tenantId = read.text('SVC_MICROSOFT_TENANT_ID')?.toLowerCase()
  if (tenantId !== undefined && !UUID.test(tenantId) && !TENANT_GROUPS.includes(tenantId)) {
    read.fault('SVC_MICROSOFT_TENANT_ID must be a UUID, common, organizations or consumers')
  }
  if (provider && !tenantId) read.fault('SVC_MICROSOFT_CLIENT_ID requires SVC_MICROSOFT_TENANT_ID')
  return provider && tenantId ? { ...provider, tenantId } : undefined
}

function readGeneric(read: EnvironmentReader) {
  const provider = read.client('OIDC')
  const issuer = read.text('SVC_OIDC_ISSUER')
  const emailClaim = read.text('SVC_OIDC_EMAIL_CLAIM') ?? 'email'
  const label = read.text('SVC_OIDC_LABEL') ?? 'single sign-on'
  if (issuer !== undefined && !isBaseUrl(URL.parse(issuer))) {
    read.fault('SVC_OIDC_ISSUER must be an https address without query (http only for localhost, 127.0.0.1 and [::1])')
  }
  if (!/^[\w:./-]{1,200}$/.test(emailClaim)) read.fault('SVC_OIDC_EMAIL_CLAIM must be the name of a claim')
  if (EDITABLE_CLAIMS.includes(emailClaim)) {
    read.fault(
      `SVC_OIDC_EMAIL_CLAIM cannot be ${emailClaim}, which people can often change themselves: name a claim that holds only verified email addresses`,
    )
  }
  if (label.length > 60) read.fault('SVC_OIDC_LABEL must have at most 60 characters')
  if (provider && !issuer) read.fault('SVC_OIDC_CLIENT_ID requires SVC_OIDC_ISSUER')
  if (issuer && !read.text('SVC_OIDC_CLIENT_ID')) read.fault('SVC_OIDC_ISSUER requires SVC_OIDC_CLIENT_ID')
  return provider && issuer ? { ...provider, issuer, emailClaim, label } : undefined
}

function readOwnUrl(read: EnvironmentReader): string | undefined {
  const url = readBaseUrl(read, 'SVC_REDIRECT_BASE_URL', read.text('SVC_REDIRECT_BASE_URL'))
  if (url !== undefined && new URL(url).pathname !== '/') {
    read.fault('SVC_REDIRECT_BASE_URL must have no path, because /auth is directly below it')
  }
  return url
}

function readBaseUrl(read: EnvironmentReader, name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (!isBaseUrl(url)) {
    read.fault(`${name} must be https addresses without query (http only for localhost, 127.0.0.1 and [::1])`)
    return undefined
  }
  return url.href.replace(/\/+$/, '')
}

function isBaseUrl(url: URL | null): url is URL {
  return url !== null && !url.search && !url.hash && !url.username && !url.password && isSafe(url)
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/**
 * Requires the address people see where services run in several processes: links and redirects are made in processes
 * that nobody reaches from outside. A process that leaves only the auth service to others has the public port itself.
 */
export function checkPublicUrl({ services }: Pick<ServiceSettings, 'services'>, read: EnvironmentReader): void {
  const isDivided = SERVICE_NAMES.some((name) => name !== 'auth-service' && !services.includes(name))
  if (!isDivided || read.text('SVC_REDIRECT_BASE_URL') !== undefined) return
  read.fault(
    'SVC_REDIRECT_BASE_URL is required when services run in separate processes: the address that people use, such as https://svc.example.com',
  )
}
