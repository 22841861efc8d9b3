import { describe, expect, it } from 'vitest'
import type { ProposalStatus } from '#contract/maintenance/proposals.ts'
import { decide } from './decide.ts'

const SELF = 'usr_self'
const OTHER = 'usr_other'
const facts = {
  caller: { userId: SELF, role: 'admin', isSupport: false },
  status: 'ready',
  invalidReason: null,
  isDeploying: false,
  requestedBy: null,
  dueBy: null,
  changes: [],
  deciders: [SELF, OTHER],
  formerDeciders: [],
} as const

/** `yes`, or the code of the refusal, of approve, deny and retry. */
function shown(changes: Partial<Parameters<typeof decide>[0]>): string {
  const { reasons, ...can } = decide({ ...facts, ...changes })
  const codes = (['approve', 'deny', 'retry'] as const).map((act) =>
    can[`can_${act}`] ? 'yes' : reasons.find((reason) => reason.act === act)!.code,
  )
  return codes.join(' ')
}

it.each([
  ['with others', [SELF, OTHER], 'PROPOSAL_OWN'],
  ['alone', [SELF], 'yes'],
  ['others unknown', 'unknown', 'PROPOSAL_OWN'],
] as const)('MA-10 who changed the schedule that made the run due, %s', (_, deciders, approve) => {
  expect(shown({ dueBy: SELF, deciders })).toBe(`${approve} yes PROPOSAL_NOT_RETRYABLE`)
  expect(shown({ dueBy: OTHER, deciders })).toBe('yes yes PROPOSAL_NOT_RETRYABLE')
})

describe('MA-26 who changed a setting in the 24 hours before', () => {
  const THIRD = 'usr_third'
  const changed = (user_id: string, isRecent = true) => ({ user_id, changed: ['model'] as const, isRecent })
  it.each([
    ['may not approve while another can', { changes: [changed(SELF)] }, 'PROPOSAL_OWN'],
    ['may not, also if it was before the proposal only', { changes: [changed(SELF, false)] }, 'PROPOSAL_OWN'],
    ['may if nobody else is there', { changes: [changed(SELF)], deciders: [SELF] }, 'yes'],
    ['may not if others are unknown', { changes: [changed(SELF)], deciders: 'unknown' }, 'PROPOSAL_OWN'],
    [
      'may not if the other lost the role meanwhile',
      { changes: [changed(SELF)], deciders: [SELF], formerDeciders: [OTHER] },
      'PROPOSAL_OWN',
    ],
    [
      'may if the other, who lost the role, did too',
      { changes: [changed(SELF), changed(OTHER)], deciders: [SELF], formerDeciders: [OTHER] },
      'yes',
    ],
    ['may if all others did too', { changes: [changed(SELF), changed(OTHER)] }, 'yes'],
    ['may if the only other started the run', { changes: [changed(SELF)], requestedBy: OTHER }, 'yes'],
    ['may if the only other moved the schedule', { changes: [changed(SELF)], dueBy: OTHER }, 'yes'],
    [
      'may not if one of the others did nothing',
      { changes: [changed(SELF), changed(OTHER)], deciders: [SELF, OTHER, THIRD] },
      'PROPOSAL_OWN',
    ],
    ['is not in the way of others', { changes: [changed(OTHER)] }, 'yes'],
    [
      'can approve instead of the person who started the run',
      { changes: [changed(OTHER)], requestedBy: SELF },
      'PROPOSAL_OWN',
    ],
  ] as const)('%s', (_, given, approve) => {
    expect(shown(given)).toBe(`${approve} yes PROPOSAL_NOT_RETRYABLE`)
  })

  it.each([
    [
      { changes: [{ user_id: SELF, changed: ['schedule', 'model'], isRecent: true }] },
      'You changed the schedule and the model of the maintenance agent in the last 24 hours, so another owner or admin must approve it.',
    ],
    [
      { changes: [{ user_id: SELF, changed: ['app_switch'], isRecent: false }] },
      "You changed the app's switch of the maintenance agent in the 24 hours before this change, so another owner or admin must approve it.",
    ],
    [
      { changes: [{ user_id: SELF, changed: ['organization_switch'], isRecent: true }], deciders: [SELF] },
      "You changed the organization's switch of the maintenance agent in the last 24 hours. You may approve it because the organization has no other owner or admin; the audit trail says so.",
    ],
    [
      { changes: [changed(SELF)], deciders: [SELF], formerDeciders: [OTHER] },
      'You changed the model of the maintenance agent in the last 24 hours, and another owner or admin, who could approve it, lost that role in the same 24 hours. Give the role back, or wait for a proposal of a later run.',
    ],
    [
      { changes: [changed(SELF), changed(OTHER)] },
      'You changed the model of the maintenance agent in the last 24 hours. You may approve it because every other owner and admin asked for it or changed a setting too; the audit trail says so.',
    ],
  ] as const)('is told why: %j', (given, text) => {
    expect(decide({ ...facts, ...given }).reasons.find(({ act }) => act === 'approve')?.text).toBe(text)
  })
})

describe('MA-10 who decides about a proposal that is ready', () => {
  const unretryable = 'PROPOSAL_NOT_RETRYABLE'
  it.each([
    ['an owner', { role: 'owner' }, null, [SELF, OTHER], `yes yes ${unretryable}`],
    ['an admin', { role: 'admin' }, null, [SELF, OTHER], `yes yes ${unretryable}`],
    ['an admin who is alone', { role: 'admin' }, null, [SELF], `yes yes ${unretryable}`],
    ['an admin, for the change of another', { role: 'admin' }, OTHER, [SELF, OTHER], `yes yes ${unretryable}`],
    ['an admin where people are unknown', { role: 'admin' }, OTHER, 'unknown', `yes yes ${unretryable}`],
    ['who asked for it, with others', { role: 'owner' }, SELF, [SELF, OTHER], `PROPOSAL_OWN yes ${unretryable}`],
    ['who asked for it, alone', { role: 'owner' }, SELF, [SELF], `yes yes ${unretryable}`],
    [
      'who asked for it and is no admin any more',
      { role: 'developer' },
      SELF,
      [OTHER],
      'FORBIDDEN FORBIDDEN FORBIDDEN',
    ],
    ['who asked for it, others unknown', { role: 'owner' }, SELF, 'unknown', `PROPOSAL_OWN yes ${unretryable}`],
    ['a developer', { role: 'developer' }, null, [OTHER], 'FORBIDDEN FORBIDDEN FORBIDDEN'],
    ['a member', { role: 'member' }, null, [OTHER], 'FORBIDDEN FORBIDDEN FORBIDDEN'],
    ['a viewer', { role: 'viewer' }, null, [OTHER], 'FORBIDDEN FORBIDDEN FORBIDDEN'],
    ['a support session', { userId: null, isSupport: true }, null, [OTHER], 'FORBIDDEN FORBIDDEN FORBIDDEN'],
  ] as const)('%s', (_, caller, requestedBy, deciders, expected) => {
    expect(shown({ caller: { ...facts.caller, ...caller }, requestedBy, deciders })).toBe(expected)
  })

  it('nobody while another deploy is under way, but it can be denied', () => {
    expect(shown({ isDeploying: true })).toBe('PROPOSAL_NOT_READY yes PROPOSAL_NOT_RETRYABLE')
  })

  it('a requester who is alone is told that the approval is an exception', () => {
    const { can_approve, reasons } = decide({ ...facts, requestedBy: SELF, deciders: [SELF] })
    expect(can_approve).toBe(true)
    expect(reasons.find(({ act }) => act === 'approve')).toMatchObject({ code: 'ONLY_APPROVER' })
  })
})

describe('MA-10 a proposal that is not ready', () => {
  const refused = 'PROPOSAL_NOT_READY PROPOSAL_NOT_READY'
  it.each<[ProposalStatus, string]>([
    ['validating', `${refused} PROPOSAL_NOT_RETRYABLE`],
    ['invalid', `${refused} yes`],
    ['superseded', `${refused} yes`],
    ['deploy_failed', `${refused} yes`],
    ['expired', `${refused} PROPOSAL_NOT_RETRYABLE`],
    ['approved', `${refused} PROPOSAL_NOT_RETRYABLE`],
    ['deploying', `${refused} PROPOSAL_NOT_RETRYABLE`],
    ['deployed', `${refused} PROPOSAL_NOT_RETRYABLE`],
    ['denied', `${refused} PROPOSAL_NOT_RETRYABLE`],
  ])('because it is %s', (status, expected) => {
    expect(shown({ status })).toBe(expected)
  })
})
