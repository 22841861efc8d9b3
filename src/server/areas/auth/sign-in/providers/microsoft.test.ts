import { describe, expect, it } from 'vitest'
import { CONSUMERS_TENANT } from '#test/outside/fake-idp.ts'
import { APP, microsoftUser, SESSION, startSignIn, TENANT, titleOf } from '#test/sign-in.ts'

const OTHER = '99999999-2222-4333-8444-555555555555'
const issuerOf = (tid: string) => `https://login.microsoftonline.com/${tid}/v2.0`

/** tenantId, what the token says, and whether they are let in. */
const CASES: [tenantId: string, what: string, claims: Record<string, unknown>, letIn: boolean][] = [
  ['common', 'any organization', { tid: TENANT }, true],
  ['common', 'a personal account', { tid: CONSUMERS_TENANT }, true],
  ['common', 'the issuer of another tenant', { tid: TENANT, iss: issuerOf(OTHER) }, false],
  ['common', 'an issuer elsewhere', { tid: TENANT, iss: `https://evil.test/${TENANT}/v2.0` }, false],
  ['common', 'no tenant', { tid: undefined, iss: issuerOf('undefined') }, false],
  ['common', 'a tenant that is none', { tid: 'x/../y', iss: issuerOf('x/../y') }, false],
  ['common', 'the template itself', { tid: '{tenantid}', iss: issuerOf('{tenantid}') }, false],
  ['organizations', 'any organization', { tid: TENANT }, true],
  ['organizations', 'a personal account', { tid: CONSUMERS_TENANT }, false],
  ['consumers', 'a personal account', { tid: CONSUMERS_TENANT }, true],
  ['consumers', 'an organization', { tid: TENANT }, false],
  [
    'consumers',
    'an organization under the issuer of the others',
    { tid: TENANT, iss: issuerOf(CONSUMERS_TENANT) },
    false,
  ],
  [TENANT, 'that organization', { tid: TENANT }, true],
  [TENANT, 'that organization, whose administrators vouch', { tid: TENANT, xms_edov: undefined }, true],
  [TENANT, 'another organization', { tid: OTHER }, false],
  [TENANT, 'another organization under the right issuer', { tid: OTHER, iss: issuerOf(TENANT) }, false],
  [TENANT, 'a personal account', { tid: CONSUMERS_TENANT }, false],
]

describe.each(['common', 'organizations', 'consumers', TENANT])('AU-05 Microsoft with tenantId %s', (tenantId) => {
  it('admits exactly the accounts of the configured tenants', async () => {
    await using at = await startSignIn({ env: { SVC_MICROSOFT_TENANT_ID: tenantId } })
    for (const [, what, claims, letIn] of CASES.filter(([of]) => of === tenantId)) {
      const browser = at.browser()
      const response = await at.signIn(browser, 'microsoft', microsoftUser(claims))
      const outcome = letIn ? [303, undefined] : [400, 'We could not confirm your identity']
      expect([what, response.status, await titleOf(response)]).toEqual([what, ...outcome])
      expect(browser.cookie(APP, SESSION) !== undefined).toBe(letIn)
    }
  })
})
