import { randomUUID } from 'node:crypto'
import { createCompanyClient, setCompanySignOn } from '#contract/auth/company-sign-on.ts'
import type { Clock } from '#lib/time/clock.ts'
import { GENERIC_ISSUER } from '../outside/fake-idp.ts'
import { type Answer, type Connector, ISSUER, type Person, PLATFORM } from './connector.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type Claims = Record<string, unknown>
type Sent = { readonly form?: Record<string, string | undefined>; readonly authorization?: string }

/** An organization whose identity provider vouches for its agents, and an agent that it allows. */
export type Company = {
  readonly owner: Person
  readonly client_id: string
  readonly client_secret: string
  /** Adds a member who has signed in with the identity provider. */
  member(subject: string): Promise<{ user_id: string; token: string; email: string }>
  /** The claims of an assertion that is accepted. */
  claims(subject: string, over?: Claims): Claims
  /** Presents an assertion. */
  present(assertion: string, sent?: Sent): Promise<Answer>
  /** Signs an assertion and presents it. */
  exchange(subject: string, over?: Claims): Promise<Answer>
}

export const COMPANY_ENV = { SVC_COMPANY_SIGN_ON: 'true' }

export async function makeCompany(c: Connector, clock: Clock): Promise<Company> {
  const owner = await c.person('owner')
  const { org_id } = owner
  const client = c.system.client(owner.token)
  await client.call(setCompanySignOn, {
    org_id,
    issuer: GENERIC_ISSUER,
    scopes: ['datasources:read', 'datasources:query'],
  })
  const { client_id, client_secret } = await client.call(createCompanyClient, { org_id, name: 'Night agent' })
  c.system.secrets.push(client_secret)
  const company: Company = {
    owner,
    client_id,
    client_secret,
    member: async (subject) => {
      const member = await c.system.member('developer', org_id)
      const browser = c.signIn.browser()
      await c.signIn.signInGeneric(browser, { sub: subject, email: member.email, email_verified: true })
      return member
    },
    claims: (sub, over = {}) => {
      const iat = Math.floor(clock.now().getTime() / 1000)
      return {
        iss: GENERIC_ISSUER,
        aud: ISSUER,
        sub,
        client_id,
        resource: PLATFORM,
        jti: randomUUID(),
        iat,
        exp: iat + 300,
        ...over,
      }
    },
    present: async (assertion, { form = {}, authorization } = {}) => {
      const values = { grant_type: JWT_BEARER, assertion, client_id, client_secret, ...form }
      const sent = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const response = await fetch(`${c.system.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(sent),
        headers: authorization === undefined ? {} : { authorization },
      })
      const body = (await response.json()) as Record<string, string>
      if (body.access_token !== undefined) c.system.secrets.push(body.access_token)
      return { status: response.status, body, headers: response.headers }
    },
    exchange: async (subject, over) => company.present(await c.signIn.idp.assertion(company.claims(subject, over))),
  }
  return company
}
