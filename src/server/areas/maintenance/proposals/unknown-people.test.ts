import { afterAll, beforeAll, expect, it } from 'vitest'
import { ServiceError } from '#contract/core/errors.ts'
import { approveProposal, readProposal } from '#contract/maintenance/proposals.ts'
import { makeLiveApp } from '#test/apps/live-app.ts'
import { proposeChange } from '#test/apps/proposed-change.ts'
import { type System, startSystem } from '#test/system.ts'

const stack = new AsyncDisposableStack()
let vendor: System
let customer: System
beforeAll(async () => {
  vendor = stack.use(await startSystem())
  const hosted = {
    AUTH_SERVICE_URL: vendor.url,
    AUTH_LOGIN_URL: vendor.url,
    SVC_REDIRECT_BASE_URL: 'https://app.customer.test',
    SVC_JWT_SECRET: '',
    SVC_JWT_SIGNING_KEY: '',
    SVC_ACTOR_ASSERTION_SECRET: '',
    SVC_ALLOW_PROCESS_DEPLOYS: 'true',
  }
  customer = stack.use(await startSystem({ env: hosted }))
})
afterAll(() => stack.disposeAsync())

it('MA-10 where people are unknown, whoever started the run is refused, and another owner approves', async () => {
  const requester = await vendor.member('owner')
  const files = { 'server.js': "respond('broken')\n" }
  const app = await makeLiveApp(customer, requester, { alias: 'shop', files })
  const { proposalId } = await proposeChange(customer, {
    app,
    person: requester,
    files: { 'server.js': "respond('fixed')\n" },
    summary: 'Fixes the answer',
    requestedBy: requester.user_id,
  })
  const one = { alias: 'shop', proposal_id: proposalId }
  // Nobody else is there, but this installation cannot know that.
  const { decision, revision_id } = await customer.client(requester.token).call(readProposal, one)
  expect(decision).toMatchObject({ can_approve: false, can_deny: true })
  const text =
    'You started the run that made this change, and svc does not know whether another owner or admin could approve it. Ask another owner or admin.'
  expect(decision.reasons).toContainEqual({ act: 'approve', code: 'PROPOSAL_OWN', text })
  const refusal = customer.client(requester.token).call(approveProposal, { ...one, revision_id: revision_id! })
  await expect(refusal).rejects.toBeInstanceOf(ServiceError)
  await expect(refusal).rejects.toMatchObject({ code: 'PROPOSAL_OWN', status: 403, message: text })
  const other = await vendor.member('owner', requester.org_id)
  const approved = await customer.client(other.token).call(approveProposal, { ...one, revision_id: revision_id! })
  expect(approved).toMatchObject({ decided_by: other.user_id })
})
