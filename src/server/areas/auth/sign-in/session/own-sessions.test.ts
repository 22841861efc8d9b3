import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCreateOrg } from '#contract/auth/auth.ts'
import { listAudit, nameMembers, readOrg, setDomains } from '#contract/auth/members.ts'
import { endOwnSession, listSessions } from '#contract/auth/sign-in.ts'
import { elevateSupport, listOpenSupport, startSupport } from '#contract/auth/support.ts'
import { createClient } from '#contract/core/client.ts'
import { type System, startSystem } from '#test/system.ts'

describe('CO-01 what the console shows of the person and the organization', () => {
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: { DATABASE_URL: '', REDIS_URL: '' } })
    await system.operator.call(adminCreateOrg, { name: 'Mine', admin_email: 'owner@example.com' })
    writeFileSync(join(system.config.dataDir, 'first-run.json'), JSON.stringify({ owner_email: 'owner@example.com' }))
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  /** Signs in as the first owner in a browser of its own. */
  async function signIn(browser = 'node') {
    const code = readFileSync(join(system.config.dataDir, 'sign-in-code'), 'utf8').trim()
    const response = await fetch(`${system.url}/auth/local`, {
      method: 'POST',
      headers: { accept: 'application/json', 'user-agent': browser },
      body: new URLSearchParams({ code }),
    })
    const cookie = response.headers.get('set-cookie')!.split(';')[0]!
    return createClient({
      baseUrl: system.url,
      fetch: (request) => fetch(request),
      headers: () => ({ cookie, origin: system.url }),
    })
  }

  it('a person sees their sessions, which one is this, and ends another at once', async () => {
    const [laptop, phone] = [await signIn(), await signIn()]
    const { items } = await laptop.call(listSessions, {})
    expect(
      items.map(({ org_name, is_current }) => [org_name, is_current]).toSorted((a, b) => Number(a[1]) - Number(b[1])),
    ).toEqual([
      ['Mine', false],
      ['Mine', true],
    ])
    const other = items.find(({ is_current }) => !is_current)!
    expect(await laptop.call(endOwnSession, { id: other.id })).toEqual({ id: other.id, ended: true })
    await expect(phone.call(listSessions, {})).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(laptop.call(endOwnSession, { id: other.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await laptop.call(listSessions, {})).items).toHaveLength(1)
  })

  it('a session says in which browser and from where the person signed in', async () => {
    const client = await signIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
    const { items } = await client.call(listSessions, {})
    const { signed_in_with, signed_in_from } = items.find(({ is_current }) => is_current)!
    expect([signed_in_with, signed_in_from]).toEqual(['Firefox on Linux', '127.0.0.1'])
  })

  it('a member sees the organization with its domains and names of its members, and no other organization', async () => {
    const owner = await system.member('owner')
    const [viewer, stranger] = [await system.member('viewer', owner.org_id), await system.member('viewer')]
    const client = system.client(viewer.token)
    const { org_id } = owner
    expect(await client.call(readOrg, { org_id })).toMatchObject({ id: org_id, domains: [] })
    const ids = [owner.user_id, stranger.user_id].join(',')
    const { items } = await client.call(nameMembers, { org_id, user_ids: ids })
    expect(items).toEqual([{ user_id: owner.user_id, name: expect.any(String) }])
    expect(JSON.stringify(items)).not.toContain('@')
    const elsewhere = { org_id: stranger.org_id }
    const refused = { code: 'NOT_FOUND' }
    await expect(client.call(readOrg, elsewhere)).rejects.toMatchObject(refused)
    await expect(client.call(listOpenSupport, elsewhere)).rejects.toMatchObject(refused)
    await expect(client.call(nameMembers, { ...elsewhere, user_ids: ids })).rejects.toMatchObject(refused)
  })

  it('AU-18 every member sees that a support session is open, but not who opened it or why', async () => {
    const viewer = await system.member('viewer')
    const { org_id } = viewer
    const open = () => system.client(viewer.token).call(listOpenSupport, { org_id })
    expect(await open()).toEqual({ items: [] })
    const session = { org_id, staff_email: 'sam@vendor.example', reason: 'ticket 7' }
    const { id } = await system.operator.call(startSupport, session)
    await system.operator.call(elevateSupport, { id })
    expect(await open()).toEqual({
      items: [
        {
          id,
          created_at: expect.any(String),
          expires_at: expect.any(String),
          elevated_at: expect.any(String),
        },
      ],
    })
  })

  it('the audit log names the people behind tokens', async () => {
    const owner = await system.member('owner')
    const client = system.client(owner.token)
    await client.call(setDomains, { org_id: owner.org_id, domains: [] })
    const { items } = await client.call(listAudit, { org_id: owner.org_id, limit: 1 })
    const names = await client.call(nameMembers, { org_id: owner.org_id, user_ids: owner.user_id })
    expect(items[0]).toMatchObject({ action: 'domains.set', actor_name: names.items[0]!.name })
  })
})
