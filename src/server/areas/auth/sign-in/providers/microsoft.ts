import type { IDToken } from 'openid-client'
import type { Profile } from './generic.ts'

/** The tenant id of all personal Microsoft accounts. */
const CONSUMERS_TENANT_ID = '9188040d-6c67-4c5b-b112-36a304b66dad'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns what is wrong with the issuer or tenant of an ID token, or undefined if both are as configured. */
export function microsoftFault(claims: IDToken, tenantId: string): string | undefined {
  const { tid } = claims
  if (typeof tid !== 'string' || !UUID.test(tid)) return 'tid is no tenant'
  if (claims.iss !== `https://login.microsoftonline.com/${tid}/v2.0`) return 'iss is not of its tenant'
  return isTenantAllowed(tid, tenantId) ? undefined : 'tid is not allowed here'
}

function isTenantAllowed(tid: string, tenantId: string): boolean {
  if (tenantId === 'common') return true
  if (tenantId === 'organizations') return tid !== CONSUMERS_TENANT_ID
  return tid === (tenantId === 'consumers' ? CONSUMERS_TENANT_ID : tenantId)
}

/**
 * Whether the email claim can be trusted, because anyone can enter any address in their own tenant. It can if Microsoft
 * sends `xms_edov` (email domain owner verified; a boolean, number or string), or if one tenant is configured, whose
 * administrators are trusted.
 */
export function microsoftVouchesForEmail(claims: Profile, tenantId: string): boolean {
  const edov = claims.xms_edov
  return (
    (UUID.test(tenantId) && tenantId !== CONSUMERS_TENANT_ID) ||
    edov === true ||
    edov === 1 ||
    edov === '1' ||
    edov === 'true'
  )
}
