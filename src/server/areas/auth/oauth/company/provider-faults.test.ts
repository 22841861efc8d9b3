import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testClock } from '#lib/time/clock.ts'
import { COMPANY_ENV, type Company, makeCompany } from '#test/agents/company.ts'
import { type Connector, startConnector } from '#test/agents/connector.ts'
import { GENERIC_ISSUER } from '#test/outside/fake-idp.ts'

type Answer = (request: Request) => Response | Promise<Response>

describe('AU-22 an identity provider of a company', () => {
  const clock = testClock(new Date())
  let c: Connector
  let company: Company
  beforeAll(async () => {
    c = await startConnector({ clock, env: COMPANY_ENV })
    company = await makeCompany(c, clock)
    await company.member('ada')
  })
  afterAll(() => c?.[Symbol.asyncDispose]())

  /** Lets the provider answer in another way until the test ends. Its keys are then fetched again. */
  function answerWith(answer: (real: Answer) => Answer): void {
    const { idp } = c.signIn
    const real = idp.outgoing
    idp.outgoing = async (request) => answer(real)(request)
    onTestFinished(() => {
      idp.outgoing = real
    })
    clock.advance(3_600_000)
  }
  const isKeys = ({ url }: Request) => url.endsWith('/keys')
  const keysAre =
    (body: unknown): ((real: Answer) => Answer) =>
    (real) =>
    (request) =>
      isKeys(request) ? Response.json(body) : real(request)
  const metadataIs =
    (body: unknown): ((real: Answer) => Answer) =>
    (real) =>
    (request) =>
      isKeys(request) ? real(request) : Response.json(body)
  const endless = () => new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) })

  it.each<[string, (real: Answer) => Answer]>([
    ['has no keys', keysAre({})],
    ['answers null for its keys', keysAre(null)],
    ['answers numbers for its keys', keysAre({ keys: [1] })],
    ['has a key that is too short', keysAre({ keys: [{ kty: 'RSA', kid: 'k1', n: 'AQAB', e: 'AQAB' }] })],
    ['has the metadata of another issuer', metadataIs({ issuer: 'https://id.evil.test', jwks_uri: GENERIC_ISSUER })],
    ['names keys without TLS', metadataIs({ issuer: GENERIC_ISSUER, jwks_uri: 'http://id.company.test/keys' })],
    ['names no keys', metadataIs({ issuer: GENERIC_ISSUER })],
    ['answers null for its metadata', metadataIs(null)],
    ['answers with a page', () => () => new Response('<html></html>')],
    ['answers without end', () => () => new Response(endless())],
    ['redirects', () => () => new Response(null, { status: 302, headers: { location: GENERIC_ISSUER } })],
    ['fails', () => () => new Response('{}', { status: 500 })],
  ])('that %s makes an agent try again, not give up', async (_, answer) => {
    answerWith(answer)
    const { status, body, headers } = await company.exchange('ada')
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'temporarily_unavailable', '5'])
  })

  it('is asked once by many who present assertions of an unknown key, and once a minute', async () => {
    let fetches = 0
    answerWith((real) => (request) => {
      if (isKeys(request)) fetches += 1
      return real(request)
    })
    expect((await company.exchange('ada')).status).toBe(200)
    expect(fetches).toBe(1)
    const presentUnknown = async () =>
      (await company.present(await c.signIn.idp.assertion(company.claims('ada'), { kid: 'k99' }))).status
    clock.advance(60_000)
    const statuses = await Promise.all(Array.from({ length: 20 }, presentUnknown))
    expect(new Set(statuses)).toEqual(new Set([400]))
    expect(await presentUnknown()).toBe(400)
    expect(fetches).toBe(2)
  })
})
