import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startDeploy } from '#contract/apps/deploys.ts'
import { listAudit } from '#contract/auth/members.ts'
import { elevateSupport, startSupport } from '#contract/auth/support.ts'
import {
  approveProposal,
  denyProposal,
  listAllProposals,
  listProposals,
  type Proposal,
  readProposal,
  retryProposal,
} from '#contract/maintenance/proposals.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type Connector, type Person, startConnector } from '#test/agents/connector.ts'
import { appPorts, type LiveApp, makeLive, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { codeOf } from '#test/databases/managed-databases.ts'
import { APP } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import { recordFinding } from '../findings/store.ts'
import { openProposal } from './open.ts'

let connector: Connector
let system: System
let admin: Awaited<ReturnType<System['member']>>
let app: LiveApp
beforeAll(async () => {
  connector = await startConnector({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
  system = connector.system
})
afterAll(() => connector?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  app = await makeLiveApp(system, admin, { alias: 'shop', files: BROKEN })
})

const BROKEN = { 'server.js': "respond('broken')\n" }
const FIXED = { 'server.js': "respond('fixed')\n" }
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)
const api = (token = admin.token) => system.client(token)
const one = (proposal_id: string) => ({ alias: 'shop', proposal_id })
const revisions = new Map<string, string>()
const approving = (proposal_id: string) => ({
  ...one(proposal_id),
  revision_id: revisions.get(proposal_id) ?? 'rev_none',
})

type Options = { requestedBy?: string | null; fingerprint?: string; at?: Date; invalid?: string }

/** Opens a proposal as the end of a run does. */
async function propose({ requestedBy = null, fingerprint = 'f1', at = new Date(), invalid }: Options = {}) {
  const runId = newId('exe')
  const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: FIXED })
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
    values (${runId}, ${admin.org_id}, ${app.id}, 'manual', 'test/model', 'ended', 'proposed', now(), now())`)
  await system.db.query(sql`
    insert into maintenance.edits (run_id, n, path, old_text, new_text) values (${runId}, 1, 'server.js', 'broken', 'fixed')`)
  await system.db.query(sql`
    insert into maintenance.evidence (run_id, n, kind, reference, sha256, bytes) values (${runId}, 1, 'logs', 'all', 'ab', 1)`)
  const opened = await system.db.tx(async (tx) => {
    const fault = { kind: 'error_in_code', path: 'server.js', symbol: null, template: 't', summary: 's' } as const
    await recordFinding(tx, { ...fault, appId: app.id, runId, fingerprint, at })
    return openProposal(tx, appPorts(system), {
      orgId: admin.org_id,
      app: { id: app.id, alias: app.alias, name: app.alias },
      runId,
      requestedBy,
      fingerprint,
      summary: 'Fixes the answer',
      baseRevisionId: app.revisionId,
      change: invalid === undefined ? { validation: 'static', notes: [], revisionId } : { invalid },
      at,
    })
  })
  if (typeof opened === 'string') return opened
  revisions.set(opened.proposalId, revisionId)
  return opened.proposalId
}

const show = (proposal_id: string, token?: string) => api(token).call(readProposal, one(proposal_id))
const reasonOf = ({ decision }: Proposal) => decision.reasons.find(({ act }) => act === 'approve')?.code
const deploysOf = () =>
  system.db.query<{ id: string; kind: string; state: string; requested_by: string | null }>(sql`
    select id, kind, state, requested_by from apps.deploys where app_id = ${app.id} and kind <> 'deploy' order by id`)
const eventsOf = async (proposalId: string) => {
  const rows = await system.db.query<{ type: string }>(sql`
    select type from svc.outbox where body ->> 'proposal_id' = ${proposalId}
    union all select type from notifications.events where body ->> 'proposal_id' = ${proposalId}`)
  return rows.map(({ type }) => type.split('.').at(-1)!).toSorted()
}
const auditOf = async (proposalId: string) => {
  const owner = await system.member('owner', admin.org_id)
  const { items } = await api(owner.token).call(listAudit, { org_id: admin.org_id, limit: 100 })
  return items.filter(({ target }) => target === proposalId)
}
/** Ends the deploy of the proposal, as its host would. */
const failDeploy = () =>
  system.db.query(sql`
    update apps.deploys set state = 'failed', failure_code = 'BUILD_FAILED'
    where app_id = ${app.id} and kind = 'proposal' and state = 'queued'`)

describe('MA-10 a proposal', () => {
  it('is shown with its evidence, its decision and, if asked for, the diff that the server made', async () => {
    const id = await propose()
    const shown = await api().call(readProposal, { ...one(id), diff: true })
    expect(shown).toMatchObject({
      id,
      app: { id: app.id, alias: 'shop', name: 'shop' },
      status: 'ready',
      author: 'maintenance agent',
      base_revision_id: app.revisionId,
      validation: 'static',
      evidence: [{ kind: 'logs', reference: 'all', sha256: 'ab', bytes: 1 }],
      decision: { can_approve: true, can_deny: true, can_retry: false },
      deploy_id: null,
    })
    expect(shown.diff).toEqual({
      files: [
        {
          path: 'server.js',
          change: 'modified',
          mode: null,
          patch: expect.stringContaining("+respond('fixed')"),
          not_shown: null,
        },
      ],
      truncated: false,
    })
    expect((await show(id)).diff).toBeUndefined()
  })

  it('is listed newest first for its app, and by status for the organization', async () => {
    const older = await propose({ at: daysAgo(16) })
    const newer = await propose({ fingerprint: 'f2', at: daysAgo(15) })
    const listed = await api().call(listProposals, { alias: 'shop', limit: 1 })
    expect(listed.items.map(({ id }) => id)).toEqual([newer])
    const rest = await api().call(listProposals, { alias: 'shop', cursor: listed.next_cursor! })
    expect([rest.items.map(({ id }) => id), rest.next_cursor]).toEqual([[older], null])
    const idsOf = async (status: Proposal['status']) =>
      (await api().call(listAllProposals, { status })).items.map(({ id }) => id)
    expect(await idsOf('expired')).toEqual([newer, older])
    expect([await idsOf('ready'), await idsOf('denied')]).toEqual([[], []])
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.js': 'other()' } })
    await makeLive(system, { id: app.id, revisionId })
    expect((await api().call(listAllProposals, { status: 'superseded', limit: 1 })).items).toMatchObject([
      { id: newer },
    ])
    expect((await api().call(listAllProposals, {})).items).toHaveLength(2)
  })

  it('of another organization is not found, and not in its list', async () => {
    const id = await propose()
    const other = await system.member('owner')
    await makeLiveApp(system, other, { alias: 'shop', files: BROKEN })
    for (const op of [readProposal, denyProposal, retryProposal]) {
      expect(await codeOf(api(other.token).call(op, one(id)))).toBe('NOT_FOUND')
    }
    expect(await codeOf(api(other.token).call(approveProposal, approving(id)))).toBe('NOT_FOUND')
    expect((await api(other.token).call(listAllProposals, {})).items).toEqual([])
  })
})

describe('MA-11 an approval', () => {
  it('queues the deploy of the new revision in the name of the person, and is on record', async () => {
    const id = await propose()
    const approved = await api().call(approveProposal, approving(id))
    expect(approved).toMatchObject({ status: 'deploying', decided_by: admin.user_id, deploy_id: expect.any(String) })
    expect(await deploysOf()).toEqual([
      { id: approved.deploy_id, kind: 'proposal', state: 'queued', requested_by: admin.user_id },
    ])
    expect(await eventsOf(id)).toEqual(['approved', 'created'])
    expect(await auditOf(id)).toMatchObject([
      { action: 'proposal.approved', detail: { alias: 'shop', asked_for_by_the_same_person: false } },
    ])
    expect(await codeOf(api().call(approveProposal, approving(id)))).toBe('PROPOSAL_NOT_READY')
  })

  it('is refused once another revision is live, and while another deploy is under way', async () => {
    const id = await propose()
    await api().call(startDeploy, { alias: 'shop', revision_id: app.revisionId })
    expect((await show(id)).decision).toMatchObject({ can_approve: false, can_deny: true })
    expect(await codeOf(api().call(approveProposal, approving(id)))).toBe('PROPOSAL_NOT_READY')
    await system.db.query(sql`delete from apps.deploys where app_id = ${app.id} and state = 'queued'`)
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.js': 'other()' } })
    await makeLive(system, { id: app.id, revisionId })
    expect(await codeOf(api().call(approveProposal, approving(id)))).toBe('PROPOSAL_NOT_READY')
    expect((await show(id)).status).toBe('superseded')
    expect(await deploysOf()).toEqual([])
  })
})

describe('MA-18 an approval names the revision that was read', () => {
  it('and is refused for another one, for none, and after the change was made again', async () => {
    const id = await propose()
    const stale = approving(id)
    expect(await codeOf(api().call(approveProposal, { ...stale, revision_id: app.revisionId }))).toBe(
      'PROPOSAL_NOT_READY',
    )
    const withoutRevision = await fetch(`${system.url}/api/deploy/deployments/shop/proposals/${id}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(withoutRevision.status).toBe(400)
    const again = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.js': "respond('other')\n" } })
    await system.db.query(sql`update maintenance.proposals set revision_id = ${again} where id = ${id}`)
    expect(await codeOf(api().call(approveProposal, stale))).toBe('PROPOSAL_NOT_READY')
    expect(await deploysOf()).toEqual([])
    expect(await codeOf(api().call(approveProposal, { ...stale, revision_id: again }))).toBe('no error')
  })
})

describe('MA-10 who may approve', () => {
  /** Signed in, with an API token and a connected agent. */
  async function newPerson(role: 'owner' | 'admin', orgId: string): Promise<Person> {
    return connector.person(role, orgId)
  }
  const bySession = async (person: Person, id: string) => {
    const path = `${APP}/api/deploy/deployments/shop/proposals/${id}/approve`
    return (
      (
        (await (await person.browser.go(path, { json: { revision_id: revisions.get(id) } })).json()) as {
          code?: string
        }
      ).code ?? 'no error'
    )
  }

  it('the person who asked for the change may not while another owner or admin exists, by no credential', async () => {
    const requester = await newPerson('owner', admin.org_id)
    const id = await propose({ requestedBy: requester.user_id })
    expect(reasonOf(await show(id, requester.token))).toBe('PROPOSAL_OWN')
    expect(await codeOf(api(requester.token).call(approveProposal, approving(id)))).toBe('PROPOSAL_OWN')
    expect(await bySession(requester, id)).toBe('PROPOSAL_OWN')
    const agent = await connector.connect(requester, await connector.client())
    expect(await codeOf(api(agent.access_token).call(approveProposal, approving(id)))).toBe('INVALID_TOKEN')
    expect(await deploysOf()).toEqual([])
    expect((await api().call(approveProposal, approving(id))).status).toBe('deploying')
  })

  it('the person who asked for it may if nobody else can, which the decision and the audit trail say', async () => {
    const id = await propose({ requestedBy: admin.user_id })
    expect(reasonOf(await show(id))).toBe('ONLY_APPROVER')
    await api().call(approveProposal, approving(id))
    expect(await auditOf(id)).toMatchObject([{ detail: { asked_for_by_the_same_person: true } }])
  })

  it('viewers, members, developers and support sessions may not; developers and builders read it', async () => {
    const id = await propose()
    const asked = { org_id: admin.org_id, staff_email: 'staff@example.com', reason: 'test' }
    const support = await system.operator.call(startSupport, asked)
    await system.operator.call(elevateSupport, { id: support.id })
    system.secrets.push(support.token)
    const developer = await system.member('developer', admin.org_id)
    const viewer = await system.member('viewer', admin.org_id)
    const member = await system.member('member', admin.org_id)
    for (const { token } of [support, developer, member, viewer]) {
      for (const op of [approveProposal, denyProposal, retryProposal]) {
        expect(await codeOf(api(token).call(op, one(id)))).toBe('FORBIDDEN')
      }
    }
    expect(reasonOf(await show(id, developer.token))).toBe('FORBIDDEN')
    expect(reasonOf(await show(id, support.token))).toBe('FORBIDDEN')
    expect(await codeOf(show(id, viewer.token))).toBe('FORBIDDEN')
    await system.db.query(sql`
      insert into apps.people (app_id, user_id, part, added_by, added_at)
      values (${app.id}, ${viewer.user_id}, 'builder', 'test', now())`)
    expect((await show(id, viewer.token)).status).toBe('ready')
    expect(await deploysOf()).toEqual([])
  })
})

describe('MA-10 a denial', () => {
  it('leaves the app as it is, and the fault is proposed again only after its file changed', async () => {
    const id = await propose({ at: daysAgo(1) })
    expect(await api().call(denyProposal, one(id))).toMatchObject({ status: 'denied', decided_by: admin.user_id })
    expect(await eventsOf(id)).toEqual(['created', 'denied'])
    expect(await auditOf(id)).toMatchObject([{ action: 'proposal.denied' }])
    expect(await deploysOf()).toEqual([])
    expect(await propose()).toBe('known')
    const unrelated = { ...BROKEN, 'other.js': 'f()' }
    app = { ...app, revisionId: await uploadFiles(system, admin, { alias: 'shop', files: unrelated }) }
    await makeLive(system, app)
    expect(await propose()).toBe('known')
    const files = { 'server.js': "// changed\nrespond('broken')\n" }
    app = { ...app, revisionId: await uploadFiles(system, admin, { alias: 'shop', files }) }
    await makeLive(system, app)
    expect(await propose()).toMatch(/^pr_/)
  })
})

describe('MA-10 a retry', () => {
  const untilValidated = async (id: string) => {
    await until(async () => (await show(id)).status !== 'validating')
    return show(id)
  }

  it('makes the same change of the revision that is live now', async () => {
    const id = await propose()
    const moved = { 'server.js': "// new\nrespond('broken')\n" }
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: moved })
    await makeLive(system, { id: app.id, revisionId })
    expect(await api().call(retryProposal, one(id))).toMatchObject({ status: 'validating' })
    const shown = await untilValidated(id)
    expect(shown).toMatchObject({ status: 'ready', validation: 'static', base_revision_id: revisionId })
    const source = await appPorts(system).source.read(app.id, shown.revision_id!, 'server.js')
    expect(Buffer.from(source!).toString()).toBe("// new\nrespond('fixed')\n")
    expect(await eventsOf(id)).toEqual(['created'])
    expect(await auditOf(id)).toMatchObject([{ action: 'proposal.retried' }])
    expect(await codeOf(api().call(retryProposal, one(id)))).toBe('PROPOSAL_NOT_RETRYABLE')
  })

  it('of a change that does not apply any more is not valid', async () => {
    const id = await propose()
    const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: FIXED })
    await makeLive(system, { id: app.id, revisionId })
    await api().call(retryProposal, one(id))
    expect(await untilValidated(id)).toMatchObject({
      status: 'invalid',
      revision_id: null,
      invalid_reason: 'Edit 1 of server.js does not apply: the text to replace is not in the file.',
      decision: { can_retry: true },
    })
  })

  it('of a change that was not valid tells people of it once it is', async () => {
    const id = await propose({ invalid: 'it did not parse' })
    expect(await eventsOf(id)).toEqual([])
    await api().call(retryProposal, one(id))
    expect(await untilValidated(id)).toMatchObject({ status: 'ready' })
    expect(await eventsOf(id)).toEqual(['created'])
  })

  it('after a failed deploy lets somebody decide again', async () => {
    const id = await propose()
    await api().call(approveProposal, approving(id))
    await failDeploy()
    expect((await show(id)).status).toBe('deploy_failed')
    expect(await api().call(retryProposal, one(id))).toMatchObject({ decided_by: null, deploy_id: null })
    expect(await untilValidated(id)).toMatchObject({ status: 'ready', decision: { can_approve: true } })
  })

  it('whose worker died is taken over when its lease has run out', async () => {
    const id = await propose({ invalid: 'x' })
    await system.db.query(sql`
      update maintenance.proposals
      set status = 'validating', fence = 1, lease_until = clock_timestamp() - interval '1 second' where id = ${id}`)
    await system.db.query(sql`select pg_notify('svc_maintenance_validate', '')`)
    expect(await untilValidated(id)).toMatchObject({ status: 'ready' })
  })
})

needs('postgres')('MA-11 decisions at once', () => {
  it('of many that approve, one queues a deploy', async () => {
    const id = await propose()
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(api().call(approveProposal, approving(id)))))
    expect(codes.filter((code) => code === 'no error')).toHaveLength(1)
    expect(codes.filter((code) => code === 'PROPOSAL_NOT_READY')).toHaveLength(7)
    expect(await deploysOf()).toHaveLength(1)
  })

  it('of an approval and a denial, one counts', async () => {
    const id = await propose()
    const acts = [api().call(approveProposal, approving(id)), api().call(denyProposal, one(id))]
    expect(new Set(await Promise.all(acts.map(codeOf)))).toEqual(new Set(['PROPOSAL_NOT_READY', 'no error']))
  })

  it('of an approval and a deploy by a person, either the approval is refused or its deploy gives way', async () => {
    const id = await propose()
    const [approval] = await Promise.all([
      codeOf(api().call(approveProposal, approving(id))),
      api().call(startDeploy, { alias: 'shop', revision_id: app.revisionId }),
    ])
    const states = (await deploysOf()).map(({ state }) => state)
    const { status } = await show(id)
    expect([
      ['no error', ['superseded'], 'superseded'],
      ['PROPOSAL_NOT_READY', [], 'ready'],
    ]).toContainEqual([approval, states, status])
  })
})
