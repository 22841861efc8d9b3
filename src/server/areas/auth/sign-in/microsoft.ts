import type { IDToken } from 'openid-client'

/** The one tenant of all personal accounts. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Issuer and tenant belong together, and the tenant must be one we were configured for. */
export function microsoftFaults(claims: IDToken, tenantId: string): string | undefined {
  const { tid } = claims
  if (typeof tid !== 'string' || !UUID.test(tid)) return 'tid is no tenant'
  if (claims.iss !== `https://login.microsoftonline.com/${tid}/v2.0`) return 'iss is not of its tenant'
  return isTenantAllowed(tid, tenantId) ? undefined : 'tid is not allowed here'
}

function isTenantAllowed(tid: string, tenantId: string): boolean {
  if (tenantId === 'common') return true
  if (tenantId === 'organizations') return tid !== CONSUMERS
  return tid === (tenantId === 'consumers' ? CONSUMERS : tenantId)
}

/**
 * Anyone can write any address into a tenant of their own. Microsoft vouches with `xms_edov` (domain owner verified),
 * which some tenants send as a number or text; the administrators of the one tenant that was configured vouch too.
 */
export function microsoftVouches(claims: IDToken, tenantId: string): boolean {
  const edov = claims.xms_edov
  return (
    (UUID.test(tenantId) && tenantId !== CONSUMERS) || edov === true || edov === 1 || edov === '1' || edov === 'true'
  )
}
