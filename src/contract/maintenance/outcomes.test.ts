import { expect, it } from 'vitest'
import { presentOutcome, TERMINAL_CODES } from './outcomes.ts'

it.each([
  ['found_nothing', 'Ran, found nothing', 0],
  ['finding_recorded', 'Finding recorded', 11],
  ['proposed', 'A proposal in the change queue', 0],
  ['budget_exhausted', 'Budget limited', 0],
  ['skipped', 'Skipped', 0],
  ['agent_error', 'Agent error', 1],
  ['fenced', 'Stopped', 6],
  ['healthy_as_never_before', 'Unrecognised result', 1],
  ['constructor', 'Unrecognised result', 1],
])('MA-07 the outcome %s is shown as %j and exits with %i', (outcome, chip, exit) => {
  expect(presentOutcome(outcome)).toMatchObject({ chip, exit })
})

it('MA-07 every terminal code belongs to one outcome', () => {
  expect(TERMINAL_CODES).toEqual({
    found_nothing: 'found_nothing',
    unchanged_evidence: 'found_nothing',
    finding_recorded: 'finding_recorded',
    finding_repeat: 'finding_recorded',
    detector_only: 'finding_recorded',
    proposal_limit_day: 'finding_recorded',
    proposal_invalid: 'finding_recorded',
    proposed: 'proposed',
    budget_exhausted: 'budget_exhausted',
    held_by_other: 'skipped',
    model_error: 'agent_error',
    model_refused: 'agent_error',
    bad_final: 'agent_error',
    invented_evidence: 'agent_error',
    step_limit: 'agent_error',
    timeout: 'agent_error',
    tool_error: 'agent_error',
    lease_expired: 'agent_error',
    internal: 'agent_error',
    fenced_app_disabled: 'fenced',
    fenced_org_disabled: 'fenced',
    cancelled_disabled: 'fenced',
    cancelled_by_user: 'fenced',
  })
})
