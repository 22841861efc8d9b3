import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAppMaintenance, changeOrgMaintenance } from '#contract/maintenance/settings.ts'
import { newId } from '#edge/ids.ts'
import { sql } from '#lib/db/sql.ts'
import { type LiveApp, makeLiveApp, uploadFiles } from '#test/apps/live-app.ts'
import { runSvc } from '#test/programs/cli-run.ts'
import { type System, startSystem } from '#test/system.ts'

type Person = Awaited<ReturnType<System['member']>>

let system: System
let admin: Person
let app: LiveApp
let proposalId: string
beforeAll(async () => {
  system = await startSystem({ env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } })
})
afterAll(() => system?.[Symbol.asyncDispose]())
beforeEach(async () => {
  admin = await system.member('admin')
  app = await makeLiveApp(system, admin, { alias: 'shop', files: { 'server.js': "respond('broken')\n" } })
  proposalId = await propose(null)
})

async function propose(requestedBy: string | null, proof: object | null = null): Promise<string> {
  const [id, runId] = [newId('pr'), newId('exe')]
  const revisionId = await uploadFiles(system, admin, { alias: 'shop', files: { 'server.js': "respond('fixed')\n" } })
  await system.db.query(sql`
    insert into maintenance.runs (id, org_id, app_id, mode, model, status, terminal_code, created_at, ended_at)
    values (${runId}, ${admin.org_id}, ${app.id}, 'manual', 'test/model', 'ended', 'proposed', now(), now())`)
  await system.db.query(sql`
    insert into maintenance.proposals
      (id, org_id, app_id, run_id, fingerprint, summary, requested_by, day, status, base_revision_id, revision_id,
       validation, proof, ready_at, created_at)
    select ${id}, org_id, id, ${runId}, 'f', 'Answers right', ${requestedBy}, current_date - count, 'ready',
      ${app.revisionId}, ${revisionId}, 'tested',
      jsonb_set(${proof && JSON.stringify(proof)}::jsonb, '{revision_id}', to_jsonb(${revisionId}::text)), now(), now()
    from apps.apps, (select count(*)::integer from maintenance.proposals where app_id = ${app.id}) as earlier
    where id = ${app.id}`)
  return id
}

const svc = (args: string[], as = admin) =>
  runSvc(['apps', 'proposals', ...args], { env: { SVC_API_URL: system.url, SVC_API_KEY: as.token } })

describe('MA-12 svc apps proposals', () => {
  it('lists proposals, and shows one with its diff and what the caller may do', async () => {
    const { stdout } = await svc(['list', 'shop'])
    const [header, row] = stdout.trimEnd().split('\n')
    expect(header!.split(/ {2,}/)).toEqual(['PROPOSAL', 'STATUS', 'SUMMARY', 'CREATED'])
    expect(row!.split(/ {2,}/).slice(0, 3)).toEqual([proposalId, 'ready', 'Answers right'])
    const shown = await svc(['show', 'shop', proposalId, '--diff'])
    expect(shown.exit).toBe(0)
    expect(shown.stdout).toMatch(/\nYou may +approve, deny\n/)
    expect(shown.stdout).toContain("\n-respond('broken')\n+respond('fixed')\n")
    expect(shown.stderr).toBe(`Deploy it: svc apps proposals approve shop ${proposalId}\n`)
    const document = await svc(['show', 'shop', proposalId, '--diff', '--json'])
    expect(JSON.parse(document.stdout)).toMatchObject({
      id: proposalId,
      decision: { can_approve: true },
      diff: { files: [{ path: 'server.js', change: 'modified' }] },
    })
  })

  it('MA-16 says whether a test proves the change, and prints what it wrote with the diff', async () => {
    const unproven = await svc(['show', 'shop', proposalId, '--diff'])
    expect(unproven.stdout).toMatch(/\nProof +Not proven: the change brings no test that shows the fault\.\n/)
    const before = { runs: ['failed', 'failed', 'failed'], output: 'wrong\u001b[2J answer' }
    const after = { runs: ['passed', 'passed', 'passed'], output: '' }
    const id = await propose(null, { outcome: 'proven', reason: null, test: 'a.test.js', before, after })
    const { stdout } = await svc(['show', 'shop', id, '--diff'])
    expect(stdout).toMatch(/\nChecked +proven\n/)
    expect(stdout).toContain('Proven: with a.test.js the tests fail on the live revision')
    expect(stdout).toContain('\nTests on the live revision: failed, failed, failed\nwrong [2J answer\n')
    expect(stdout).toContain('\nTests with the change: passed, passed, passed\nThey wrote nothing.\n')
    expect((await svc(['approve', 'shop', id])).stderr).toContain('Proven: with a.test.js')
  })

  it('MA-16 a proof of another revision than the proposal makes is not shown', async () => {
    const sides = { before: { runs: [], output: '' }, after: { runs: [], output: '' } }
    const id = await propose(null, { outcome: 'proven', reason: null, test: 'a.test.js', ...sides })
    await system.db.query(sql`
      update maintenance.proposals set proof = jsonb_set(proof, '{revision_id}', '"rev_other"') where id = ${id}`)
    const document = JSON.parse((await svc(['show', 'shop', id, '--json'])).stdout) as object
    expect(document).toMatchObject({ validation: 'tested', proof: null })
  })

  it('MA-34 says why there is none: the agent is off, or its model never proposes', async () => {
    await makeLiveApp(system, admin, { alias: 'quiet', files: { 'server.js': 'respond()\n' } })
    const none = 'The maintenance agent has proposed nothing for quiet.\n'
    const off = await svc(['list', 'quiet'])
    expect(off).toMatchObject({ exit: 0, stdout: '' })
    expect(off.stderr.startsWith(`${none}The maintenance agent is off in this organization.`)).toBe(true)
    const on = { org_id: admin.org_id, enabled: true, model: 'builtin/detectors' }
    await system.client(admin.token).call(changeOrgMaintenance, on)
    const never =
      'The model builtin/detectors records findings and never proposes a change. For proposals name a chat model: see /guides/maintenance at your instance.\n'
    const enable = 'It is off for quiet. Switch it on: svc apps maintenance enable quiet --yes\n'
    expect((await svc(['list', 'quiet'])).stderr).toBe(`${none}${enable}${never}`)
    await system.client(admin.token).call(changeAppMaintenance, { alias: 'quiet', enabled: true })
    expect((await svc(['list', 'quiet'])).stderr).toBe(`${none}${never}`)
  })

  it('approves with 0 once, and then conflicts with 6', async () => {
    const approved = await svc(['approve', 'shop', proposalId, '--yes'])
    expect(approved).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^Approved pr_\w+. Its deploy is dep_\w+: /),
    })
    expect(await svc(['approve', 'shop', proposalId, '--yes'])).toMatchObject({ exit: 6, stdout: '' })
    expect(await svc(['deny', 'shop', proposalId, '--yes'])).toMatchObject({ exit: 6 })
    expect(await svc(['retry', 'shop', proposalId, '--yes'])).toMatchObject({ exit: 6 })
  })

  it('MA-10 says before the question and in the result why the only admin approves a change of their own run', async () => {
    const own = await propose(admin.user_id)
    const reason = /You may approve it because the organization has no other owner or admin; the audit trail says so\./
    expect((await svc(['approve', 'shop', own])).stderr).toMatch(reason)
    const approved = await svc(['approve', 'shop', own, '--yes'])
    expect(approved.exit).toBe(0)
    expect(approved.stdout).toMatch(reason)
    expect((await svc(['approve', 'shop', own])).stderr).not.toMatch(reason)
  })

  it('MA-18 approves the revision that it prints', async () => {
    const { revision_id } = JSON.parse((await svc(['show', 'shop', proposalId, '--json'])).stdout) as {
      revision_id: string
    }
    const { stderr } = await svc(['approve', 'shop', proposalId, '--yes'])
    expect(stderr).toContain(`Changes ${app.revisionId} to ${revision_id}\n`)
    expect(stderr).toContain("\n-respond('broken')\n+respond('fixed')\n")
  })

  it('denies with 0', async () => {
    const denied = await svc(['deny', 'shop', proposalId, '--yes', '--json'])
    expect([denied.exit, JSON.parse(denied.stdout)]).toMatchObject([0, { status: 'denied' }])
  })

  it('exits with 3 for those who may not, with 4 for an unknown proposal, and with 5 without a confirmation', async () => {
    const developer = await system.member('developer', admin.org_id)
    expect(await svc(['approve', 'shop', proposalId, '--yes'], developer)).toMatchObject({ exit: 3 })
    const own = await propose(admin.user_id)
    expect((await svc(['show', 'shop', own])).stdout).toMatch(/\nRun +exe_\w+, started by (?!usr_).+ \(you\)\n/)
    await system.member('owner', admin.org_id)
    const refused = await svc(['approve', 'shop', own, '--yes'])
    expect([refused.exit, refused.stderr.split('\n').slice(-2).join('\n')]).toEqual([
      3,
      'svc: You started the run that made this change, so another owner or admin must approve it.\n',
    ])
    expect(await svc(['approve', 'shop', 'pr_none', '--yes'])).toMatchObject({ exit: 4 })
    expect(await svc(['show', 'shop', 'pr_none'])).toMatchObject({ exit: 4 })
    expect(await svc(['approve', 'shop', proposalId])).toMatchObject({ exit: 5 })
  })
})
