import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connector, ISSUER, PLATFORM, startConnector } from '#test/agents/connector.ts'

describe('connecting an agent', () => {
  let c: Connector
  beforeAll(async () => {
    c = await startConnector()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  it('AU-10 goes from registration over consent to tokens for the resource that was asked for', async () => {
    const person = await c.person()
    const clientId = await c.client()
    const tokens = await c.connect(person, clientId)
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'HS256', typ: 'at+jwt' })
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: ISSUER,
      aud: PLATFORM,
      sub: person.user_id,
      client_id: clientId,
      scope: 'datasources:read datasources:query functions:call',
      gid: expect.stringMatching(/^grt_/),
    })
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600 })
  })
})
