import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '#lib/db/db.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { type System, startSystem } from '#test/system.ts'
import { kindOfToken, makeToken, TOKEN_PREFIXES, type TokenKind } from './token-format.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('the checksum of a token', () => {
  it('AU-02 is the CRC-32 of the random part in six base62 digits', () => {
    // Worked out with another program.
    expect(kindOfToken(`svc_${'A'.repeat(43)}0DofJ8`)).toBe('api_token')
    expect(kindOfToken('svc_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg37cCQ0')).toBe('api_token')
    expect(kindOfToken(`svc_${'A'.repeat(43)}0DofJ9`)).toBeUndefined()
  })

  it.each(Object.keys(TOKEN_PREFIXES) as TokenKind[])('AU-02 tells a made one from noise: %s', (kind) => {
    const token = makeToken(kind)
    expect(kindOfToken(token)).toBe(kind)
    for (const noise of [token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`, token.replace('svc', 'SVC')]) {
      expect(kindOfToken(noise)).toBeUndefined()
    }
  })

  it('AU-02 detects every single wrong character', () => {
    const token = makeToken()
    for (let at = 'svc_'.length; at < token.length; at += 1) {
      expect(kindOfToken(mistyped(token, at))).toBeUndefined()
    }
  })
})

describe('a token that cannot be one of ours', () => {
  let database: TestDatabase
  let system: System
  let token: string
  let requestCount = 0
  beforeAll(async () => {
    database = await openTestDatabase()
    const { db } = database
    const query: Db['query'] = (statement) => {
      // Loops of the worker read the tables of other areas, and the list of deletions, at any time.
      if (/ auth\.(?!deletions)/.test(statement.text)) requestCount += 1
      return db.query(statement)
    }
    const counted = new Proxy(db, { get: (on, name) => (name === 'query' ? query : Reflect.get(on, name)) })
    system = await startSystem({ on: { db: counted, databaseUrl: database.url } })
    token = (await system.member()).token
  })
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const validate = async (sent: string) => {
    const before = requestCount
    const response = await fetch(`${system.url}/api/v1/tokens/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: sent }),
    })
    return { status: response.status, requestCount: requestCount - before }
  }

  it('AU-02 is refused by its checksum without a database query, and a well-formed one costs one query', async () => {
    // The first use in five minutes is noted besides.
    expect(await validate(token)).toEqual({ status: 200, requestCount: 2 })
    expect(await validate(token)).toEqual({ status: 200, requestCount: 1 })
    expect(await validate(makeToken())).toEqual({ status: 401, requestCount: 1 })
    for (const at of [4, 20, 46, 47, 52]) {
      expect([at, await validate(mistyped(token, at))]).toEqual([at, { status: 401, requestCount: 0 }])
    }
    for (const noise of ['svc_', 'x', token.slice(0, -1), 'eyJhbGciOiJub25lIn0.e30.']) {
      expect([noise, await validate(noise)]).toEqual([noise, { status: 401, requestCount: 0 }])
    }
  })
})

/** The token with another character at the place. */
function mistyped(token: string, at: number): string {
  const other = DIGITS[(DIGITS.indexOf(token[at]!) + 1) % DIGITS.length]!
  return token.slice(0, at) + other + token.slice(at + 1)
}
