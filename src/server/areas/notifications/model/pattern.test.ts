import { expect, it } from 'vitest'
import { matchesPattern, patternFault } from './pattern.ts'

it.each([
  ['support.ticket.created', 'support.ticket.created', true],
  ['support.ticket.created', 'support.ticket.replied', false],
  ['support.ticket.*', 'support.ticket.replied', true],
  ['support.*', 'support.ticket.replied', true],
  ['support.tick.*', 'support.ticket.replied', false],
  ['support.ticket', 'support.ticket.replied', false],
  ['application.check.*', 'application.maintenance.run.failed', false],
  ['*', 'deploy.failed', false],
])('NO-04 a subscription to %s covers %s: %s', (pattern, type, covered) => {
  expect(matchesPattern(pattern, type)).toBe(covered)
})

it.each([['deploy.failed'], ['pipeline.run.*'], ['application.*'], ['org.support_access.*']])(
  'NO-04 %s is accepted as an event type',
  (pattern) => expect(patternFault(pattern)).toBeUndefined(),
)

it.each([
  ['deploy.fail', 'No event type matches "deploy.fail". Did you mean deploy.failed?'],
  ['Pipeline.Run.*', 'No event type matches "Pipeline.Run.*". Did you mean pipeline.run.*?'],
  ['deploy.faield', 'No event type matches "deploy.faield". Did you mean deploy.failed?'],
  ['pipeline.runs.*', 'No event type matches "pipeline.runs.*". Did you mean pipeline.run.*?'],
  ['pipeline.run', 'No event type matches "pipeline.run". Did you mean pipeline.run.*?'],
  ['*', 'No event type matches "*". Use an event type, or a prefix such as support.ticket.*.'],
  ['', 'No event type matches "". Use an event type, or a prefix such as support.ticket.*.'],
  ['deploy.failed.*', 'No event type matches "deploy.failed.*". Did you mean deploy.failed?'],
])('NO-04 %s is refused with the nearest event type', (pattern, fault) => {
  expect(patternFault(pattern)).toBe(fault)
})
