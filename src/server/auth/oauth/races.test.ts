import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  asking,
  type Connector,
  leavesFor,
  type Person,
  pkce,
  startConnector,
} from '../../../../test/help/connector.ts'
import { needs } from '../../../../test/help/stores.ts'
import { sql } from '../../../lib/db/sql.ts'

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]

needs('postgres')('agents that do everything at once', () => {
  let c: Connector
  let person: Person
  let clientId: string
  beforeAll(async () => {
    c = await startConnector()
    person = await c.person()
    clientId = await c.client()
  })
  afterAll(() => c[Symbol.asyncDispose]())

  const grants = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_access_grants`)
    return row!.n
  }
  const count = async () => {
    const [row] = await c.system.db.query<{ n: number }>(sql`select count(*)::int as n from platform_oauth_clients`)
    return row!.n
  }

  it('AU-10 a code is redeemed once by eight who try', async () => {
    for (let round = 0; round < 5; round += 1) {
      const code = await c.code(person, clientId)
      const answers = await Promise.all(EIGHT.map(() => c.redeem(code)))
      for (const { body } of answers) if (body.access_token) c.system.secrets.push(body.access_token)
      const won = answers.filter(({ status }) => status === 200).length
      expect(won).toBe(1)
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7)
    }
  })

  it('AU-14 a refresh token is used once by eight who try, and the winner goes on', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tokens = await c.connect(person, clientId)
      const answers = await Promise.all(EIGHT.map(() => c.refresh(clientId, tokens.refresh_token)))
      const won = answers.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      expect((await c.refresh(clientId, won[0]!.body.refresh_token!)).status).toBe(200)
    }
  })

  it('AU-10 a page that is sent four times is one answer, and one code', async () => {
    for (let round = 0; round < 5; round += 1) {
      const page = await c.ask(person, asking(clientId, pkce().challenge))
      const csrf = /name="csrf" value="([^"]+)"/.exec(await (await person.browser.go(page)).text())![1]!
      const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
      const before = await grants()
      const sent = await Promise.all([1, 2, 3, 4].map(() => person.browser.go(page, { form })))
      expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
      expect(await grants()).toBe(before + 1)
      const leaving = leavesFor(await sent.find(({ status }) => status === 200)!.text())
      const gone = await Promise.all([1, 2, 3, 4, 5, 6].map(() => person.browser.go(leaving)))
      const codes = gone.map(({ headers }) => headers.get('location')).filter((to) => to?.includes('code='))
      expect(codes).toHaveLength(1)
    }
  })

  it('AU-11 five of twelve registrations for one origin get in', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const names = Array.from({ length: 12 }, (_, n) => `Agent ${n}`)
    const answers = await Promise.all(
      names.map((client_name) => c.register({ client_name, redirect_uris: ['https://agent.example/cb'] })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
    expect(await count()).toBe(5)
  })

  it('AU-11 a hundred of a hundred and ten registrations get in', async () => {
    await c.system.db.query(sql`delete from platform_oauth_clients`)
    const numbers = Array.from({ length: 110 }, (_, n) => n)
    const answers = await Promise.all(
      numbers.map((n) => c.register({ client_name: `A ${n}`, redirect_uris: [`https://a${n}.example/cb`] })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(await count()).toBe(100)
  })
})
