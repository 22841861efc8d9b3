import pg from 'pg'
import { expect, it } from 'vitest'
import { me } from '#contract/auth/members.ts'
import { asking, pkce, startConnector } from '#test/agents/connector.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

needs('postgres')('a lock that another replica holds', () => {
  it('AU-11 queued registrations and approvals hold no database connections', async () => {
    await using c = await startConnector()
    const person = await c.person()
    const { body } = await c.register({ client_name: 'Waits' })
    const page = await c.ask(person, asking(body.client_id!, pkce().challenge))
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await person.browser.go(page)).text())![1]!
    const form = { csrf, org_id: person.org_id, decision: 'approve', scope: 'datasources:read' }
    const database = new pg.Client({ connectionString: c.system.databaseUrl! })
    await database.connect()
    try {
      // Stands for another replica that takes long over a registration.
      await database.query(`select pg_advisory_lock(hashtext('svc.oauth.registrations'))`)
      const registering = Promise.all(Array.from({ length: 30 }, () => c.register({ client_name: 'Burst' })))
      const approving = Promise.all(Array.from({ length: 15 }, () => person.browser.go(page, { form })))
      await until(async () => {
        const { rows } = await database.query(`
          select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
          where l.locktype = 'advisory' and not l.granted`)
        return rows.length === 2
      })
      for (let n = 0; n < 5; n += 1)
        expect(await c.system.client(person.token).call(me, {})).toMatchObject({ user: { email: person.email } })
      const answers = await registering
      expect(answers.filter(({ status }) => status === 503)).toHaveLength(30)
      expect(answers.filter(({ headers }) => Number(headers.get('retry-after')) >= 1)).toHaveLength(30)
      expect((await approving).filter(({ status }) => status === 503)).toHaveLength(15)
    } finally {
      await database.end()
    }
    expect((await c.register({ client_name: 'Later' })).status).toBe(201)
    expect((await person.browser.go(page, { form })).status).toBe(200)
  })
})
