import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exposeSource, listSlimSources, listSources, switchSource } from '#contract/data-sources/sources.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'

describe('which sources there are, and for whom', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem()
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  async function org() {
    const { org_id, token } = await system.member('admin')
    const viewer = system.client((await system.member('viewer', org_id)).token)
    return { org_id, client: system.client(token), viewer }
  }

  /** As if it had been created: making real ones is the databases' own test. */
  async function addDatabase(orgId: string, name: string): Promise<void> {
    const id = newId('ds')
    await system.db.query(sql`
      insert into databases.databases
        (id, org_id, name, state, physical_name, owner_role, reader_role,
         owner_password, reader_password, owner_verifier, reader_verifier, created_by, created_at)
      values (${id}, ${orgId}, ${name}, 'ready', ${`d_${id}`}, ${`o_${id}`}, ${`r_${id}`}, '', '', '', '', 'test', now())`)
  }

  it('DS-03 DS-04 a database is switched on as a source, listed with all that is stored, and not exposed by it', async () => {
    const { org_id, client, viewer } = await org()
    await addDatabase(org_id, 'handbook')
    const source = await client.call(switchSource, { name: 'handbook', enabled: true, description: 'What we know' })
    expect(source).toMatchObject({
      id: expect.stringMatching(/^ds_/),
      source_id: 'db_handbook',
      description: 'What we know',
      enabled: true,
      exposed: false,
      min_role: null,
      connection_config: null,
    })
    expect((await client.call(listSources, {})).items).toEqual([source])
    expect((await viewer.call(listSlimSources, {})).items).toEqual([])
    const none = client.call(switchSource, { name: 'nothing', enabled: true })
    await expect(none).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('DS-08 DS-09 exposing needs a minimum role the first time, and shows the source to that role; either id will do', async () => {
    const { org_id, client, viewer } = await org()
    await addDatabase(org_id, 'notes')
    const { id } = await client.call(switchSource, { name: 'notes', enabled: true })
    const first = client.call(exposeSource, { id, exposed: true })
    await expect(first).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path: 'min_role' }] })
    await client.call(exposeSource, { id: 'db_notes', exposed: true, min_role: 'developer' })
    expect((await viewer.call(listSlimSources, {})).items).toEqual([])
    await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
    expect((await viewer.call(listSlimSources, {})).items).toMatchObject([{ id: 'db_notes', filters: {} }])
    await client.call(exposeSource, { id, exposed: false })
    expect((await viewer.call(listSlimSources, {})).items).toEqual([])
    expect((await client.call(exposeSource, { id, exposed: true })).min_role).toBe('viewer')
  })

  it('DS-03 switching off unexposes; switching on does not expose again; off cannot be exposed', async () => {
    const { org_id, client, viewer } = await org()
    await addDatabase(org_id, 'wiki')
    const { id } = await client.call(switchSource, { name: 'wiki', enabled: true, description: 'kept' })
    await client.call(exposeSource, { id, exposed: true, min_role: 'viewer' })
    expect(await client.call(switchSource, { name: 'wiki', enabled: false })).toMatchObject({ exposed: false })
    const off = client.call(exposeSource, { id, exposed: true })
    await expect(off).rejects.toMatchObject({ code: 'SOURCE_OFF' })
    const on = await client.call(switchSource, { name: 'wiki', enabled: true })
    expect(on).toMatchObject({ id, exposed: false, description: 'kept' })
    expect((await viewer.call(listSlimSources, {})).items).toEqual([])
  })

  it('a source of another organization is 404', async () => {
    const [mine, theirs] = [await org(), await org()]
    await addDatabase(theirs.org_id, 'secret')
    const { id } = await theirs.client.call(switchSource, { name: 'secret', enabled: true })
    for (const name of [id, 'db_secret']) {
      const refused = mine.client.call(exposeSource, { id: name, exposed: true, min_role: 'viewer' })
      await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  async function hundredAndTwo(orgId: string): Promise<void> {
    await system.db.query(sql`
      insert into data_sources.sources (id, org_id, database_name, name, exposed, min_role, created_at, updated_at)
      select ${orgId} || n, ${orgId}, 'd' || n, 'd' || n, n <= 99, 'viewer', now(), now() from generate_series(1, 105) n`)
  }

  it('DS-08 the hundred and first exposed is 409', async () => {
    const { org_id, client } = await org()
    await hundredAndTwo(org_id)
    await client.call(exposeSource, { id: 'db_d100', exposed: true })
    const more = client.call(exposeSource, { id: 'db_d101', exposed: true })
    await expect(more).rejects.toMatchObject({ code: 'EXPOSED_LIMIT', status: 409 })
    expect((await client.call(exposeSource, { id: 'db_d100', exposed: true })).exposed).toBe(true)
  })

  needs('postgres')('at once', () => {
    it('DS-08 one of six concurrent exposes at ninety-nine succeeds', async () => {
      const { org_id, client } = await org()
      await hundredAndTwo(org_id)
      const tries = [100, 101, 102, 103, 104, 105].map((n) =>
        client.call(exposeSource, { id: `db_d${n}`, exposed: true }),
      )
      const results = await Promise.allSettled(tries)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
  })
})
