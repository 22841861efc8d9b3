import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAudit, me, readOrg, renameOrg } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import { type System, startSystem } from '#test/system.ts'

describe('CO-01 an organization is renamed', () => {
  let system: System
  let owner: Awaited<ReturnType<System['member']>>
  beforeAll(async () => {
    system = await startSystem()
    owner = await system.member('owner')
  })
  afterAll(() => system?.[Symbol.asyncDispose]())

  const rename = (token: string, name: string, org_id = owner.org_id) =>
    system.client(token).call(renameOrg, { org_id, name })
  const auditOf = async () => (await system.client(owner.token).call(listAudit, { org_id: owner.org_id })).items

  it('by an owner; its slug stays, and the audit log has both names', async () => {
    const before = await system.client(owner.token).call(readOrg, { org_id: owner.org_id })
    expect(await rename(owner.token, '  Tea Traders ')).toEqual({ ...before, name: 'Tea Traders' })
    expect(await system.client(owner.token).call(me, {})).toMatchObject({ org: { name: 'Tea Traders' } })
    expect((await auditOf())[0]).toMatchObject({
      action: 'org.renamed',
      target: owner.org_id,
      detail: { from: before.name, to: 'Tea Traders' },
    })
  })

  it('to its own name changes and records nothing', async () => {
    const { name } = await system.client(owner.token).call(readOrg, { org_id: owner.org_id })
    const entries = (await auditOf()).length
    expect(await rename(owner.token, name)).toMatchObject({ name })
    expect(await auditOf()).toHaveLength(entries)
  })

  it('by nobody else: admins, support staff and owners of another organization are refused', async () => {
    const [admin, stranger] = [await system.member('admin', owner.org_id), await system.member('owner')]
    await expect(rename(admin.token, 'Mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(rename(stranger.token, 'Mine')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const session = { org_id: owner.org_id, staff_email: 'sam@vendor.example', reason: 'ticket 7' }
    const { id, token } = await system.operator.call(startSupport, session)
    await system.operator.call(elevateSupport, { id })
    await expect(rename(token, 'Mine')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it.each([
    ['empty', '   '],
    ['too long', 'x'.repeat(101)],
  ])('not to a name that is %s', async (_, name) => {
    await expect(rename(owner.token, name)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ path: 'name', message: expect.any(String) }],
    })
  })
})
