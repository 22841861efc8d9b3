import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { changeRole, listAudit, removeMember } from '#contract/auth/members.ts'
import { approveProposal, listProposals, readProposal } from '#contract/maintenance/proposals.ts'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import type { Tx } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { audit } from '#ports/audit.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { proposeEdits } from '#test/apps/propose.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { type FakeChat, startFakeChat } from '#test/outside/fake-chat.ts'
import { needs } from '#test/stores.ts'
import { type System, startSystem } from '#test/system.ts'
import { until } from '#test/until.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let fake: FakeChat
let admin: Person
let owner: Person
beforeAll(async () => {
  fake = await startFakeChat()
  const providers = JSON.stringify([fake.provider('acme', 'openai', [{ name: 'large' }])])
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true', SVC_AI_PROVIDERS: providers } })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  admin = await system.member('admin')
  owner = await system.member('owner', admin.org_id)
  await makeLiveApp(system, admin, { alias: 'shop', files: { 'server.js': "respond('broken')\n" } })
})

type Settings = { enabled?: boolean; model?: string; nightly_cron?: string; timezone?: string; cooldown_hours?: number }

const SET_UP = { enabled: true, model: 'builtin/detectors' }
const change = (person: Person, settings: Settings) =>
  system.client(person.token).call(changeOrgMaintenance, { org_id: admin.org_id, enabled: true, ...settings })
const switchApp = (person: Person, enabled: boolean) =>
  system.client(person.token).call(changeAppMaintenance, { alias: 'shop', enabled })
const propose = () => {
  const edits = [{ path: 'server.js', old_text: 'broken', new_text: 'fixed' }]
  return proposeEdits(system, { org_id: admin.org_id, alias: 'shop', requestedBy: null, edits })
}
const read = (person: Person, proposal_id: string) =>
  system.client(person.token).call(readProposal, { alias: 'shop', proposal_id })
const approve = async (person: Person, proposal_id: string) => {
  const { revision_id } = await read(person, proposal_id)
  return codeOf(
    system.client(person.token).call(approveProposal, { alias: 'shop', proposal_id, revision_id: revision_id! }),
  )
}
/** Makes everything that was changed, or proposed, so much older. */
const age = (what: 'changes' | 'proposals', hours: number) =>
  system.db.query(
    what === 'changes'
      ? sql`update svc.audit set at = at - ${hours} * interval '1 hour' where org_id = ${admin.org_id}`
      : sql`update maintenance.proposals set created_at = created_at - ${hours} * interval '1 hour'`,
  )
const reasonOf = async (person: Person, id: string) => {
  const { decision } = await read(person, id)
  return decision.reasons.find(({ act }) => act === 'approve')
}
/** Whether a statement waits for a lock of this transaction. */
const isWaitedFor = async (tx: Tx) =>
  (await tx.query(sql`select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`))
    .length > 0
/** Maintenance as the owner set it up days ago. */
async function setUpLongAgo(): Promise<void> {
  await change(owner, SET_UP)
  await switchApp(owner, true)
  await age('changes', 100)
}

it.each<[string, () => Promise<unknown>, string]>([
  ['the schedule', () => change(admin, { nightly_cron: '30 4 * * *' }), 'the schedule'],
  ['the model', () => change(admin, { model: 'acme/large' }), 'the model'],
  ['the timezone', () => change(admin, { timezone: 'Europe/Berlin' }), 'the schedule'],
  ['the cooldown', () => change(admin, { cooldown_hours: 48 }), 'the schedule'],
  ['the switch of the organization', () => change(admin, { enabled: false }), "the organization's switch"],
  ['the switch of the app', () => switchApp(admin, false), "the app's switch"],
])('MA-26 who changed %s after the proposal may not approve it for 24 hours', async (_, act, setting) => {
  await setUpLongAgo()
  const id = await propose()
  expect((await read(admin, id)).decision.can_approve).toBe(true)
  await act()
  const text = `You changed ${setting} of the maintenance agent in the last 24 hours, so another owner or admin must approve it.`
  expect(await reasonOf(admin, id)).toEqual({ act: 'approve', code: 'PROPOSAL_OWN', text })
  const { items } = await system.client(admin.token).call(listProposals, { alias: 'shop' })
  expect(items[0]!.decision.can_approve).toBe(false)
  expect(await approve(admin, id)).toBe('PROPOSAL_OWN')
  expect((await read(owner, id)).decision.can_approve).toBe(true)
  await age('changes', 25)
  await age('proposals', -26)
  expect(await approve(admin, id)).toBe('no error')
})

it('MA-26 a change in the day before the proposal counts for good, also if another person changed something since', async () => {
  await setUpLongAgo()
  await change(admin, { nightly_cron: '30 4 * * *' })
  await age('changes', 20)
  const id = await propose()
  await change(owner, { cooldown_hours: 30 })
  await age('changes', 100)
  await age('proposals', 100)
  const text =
    'You changed the schedule of the maintenance agent in the 24 hours before this change, so another owner or admin must approve it.'
  expect(await reasonOf(admin, id)).toEqual({ act: 'approve', code: 'PROPOSAL_OWN', text })
  expect(await approve(owner, id)).toBe('no error')
})

it('MA-26 a request that changes nothing is no change, and settings of another app are none of this one', async () => {
  await setUpLongAgo()
  await change(admin, SET_UP)
  await switchApp(admin, true)
  await makeLiveApp(system, admin, { alias: 'till', files: { 'server.js': 'x\n' } })
  await system.client(admin.token).call(changeAppMaintenance, { alias: 'till', enabled: true })
  expect(await approve(admin, await propose())).toBe('no error')
})

it.each<[string, (other: Person) => Promise<unknown>]>([
  [
    'demotes',
    (other) =>
      system.client(owner.token).call(changeRole, { org_id: admin.org_id, user_id: other.user_id, role: 'developer' }),
  ],
  [
    'removes',
    (other) => system.client(owner.token).call(removeMember, { org_id: admin.org_id, user_id: other.user_id }),
  ],
])('MA-26 who changed a setting and %s the only other approver may not approve for 24 hours', async (_, act) => {
  await setUpLongAgo()
  const id = await propose()
  await change(owner, { cooldown_hours: 30 })
  await act(admin)
  expect(await reasonOf(owner, id)).toMatchObject({
    code: 'PROPOSAL_OWN',
    text: expect.stringContaining('lost that role in the same 24 hours'),
  })
  expect(await approve(owner, id)).toBe('PROPOSAL_OWN')
  await age('changes', 25)
  await age('proposals', -26)
  expect(await approve(owner, id)).toBe('no error')
})

it('MA-26 where all set it up on one day they may approve, which the decision and the audit trail say', async () => {
  await change(owner, SET_UP)
  await switchApp(admin, true)
  const id = await propose()
  expect(await reasonOf(admin, id)).toMatchObject({
    code: 'ONLY_APPROVER',
    text: expect.stringContaining('every other owner and admin asked for it or changed a setting too'),
  })
  expect(await approve(admin, id)).toBe('no error')
  const { items } = await system.client(owner.token).call(listAudit, { org_id: admin.org_id, limit: 100 })
  expect(items.find(({ action }) => action === 'proposal.approved')?.detail).toMatchObject({
    asked_for_by_the_same_person: true,
  })
})

needs('postgres')('MA-26 a change of a setting and an approval at once', () => {
  it.each([
    ['of the organization', sql`select from maintenance.orgs for update`, 'maintenance.org_changed'],
    ['of the app', sql`select from maintenance.apps for update`, 'maintenance.app_changed'],
  ] as const)('an approval waits for a change %s that is under way, and is refused', async (_, lock, action) => {
    await setUpLongAgo()
    const id = await propose()
    const [app] = await system.db.query<{ id: string }>(sql`
      select app_id as id from maintenance.proposals where id = ${id}`)
    const approval = await system.db.tx(async (tx) => {
      await tx.query(lock)
      let code: unknown
      const approved = approve(admin, id).then((answer) => {
        code = answer
        return answer
      })
      await until(async () => code !== undefined || (await isWaitedFor(tx)))
      expect(code).toBeUndefined()
      const target = action === 'maintenance.org_changed' ? admin.org_id : app!.id
      const detail = { changed: ['model'], person: admin.user_id }
      await audit(tx, { org_id: admin.org_id, actor: admin.user_id, action, target, detail, at: new Date() })
      return { approved }
    })
    expect(await approval.approved).toBe('PROPOSAL_OWN')
  })

  it.each<[string, (round: number) => Promise<unknown>]>([
    ['of the schedule', (round) => change(admin, { cooldown_hours: 30 + round })],
    ['of the switch', (round) => switchApp(admin, round % 2 === 1)],
  ])('%s: nobody approves after their own change', async (_, act) => {
    await setUpLongAgo()
    const codes: unknown[] = []
    for (let round = 0; round < 8; round++) {
      await system.db.query(sql`delete from maintenance.proposals where org_id = ${admin.org_id}`)
      await system.db.query(
        sql`update apps.deploys set state = 'failed', failure_code = 'BUILD_FAILED' where org_id = ${admin.org_id} and state = 'queued'`,
      )
      const id = await propose()
      await age('changes', 100)
      const { revision_id } = await read(admin, id)
      const approval = { alias: 'shop', proposal_id: id, revision_id: revision_id! }
      const outcomes = [codeOf(system.client(admin.token).call(approveProposal, approval)), act(round)] as const
      codes.push((await Promise.all(outcomes))[0])
      const late = await system.db.query(sql`
        select from svc.audit change join svc.audit approval on approval.action = 'proposal.approved'
        where approval.target = ${id} and change.org_id = ${admin.org_id} and change.actor = approval.actor
          and change.action like 'maintenance.%' and change.at > approval.at - interval '1 day'
          and change.at < approval.at`)
      expect(late).toEqual([])
    }
    expect(codes.filter((code) => code !== 'no error' && code !== 'PROPOSAL_OWN')).toEqual([])
  })
})
