import { expect, it } from 'vitest'
import { type CheckForm, toCheck } from './check-form.ts'

const FORM: CheckForm = {
  name: 'Shop',
  kind: 'http',
  'definition.target': '/health',
  'definition.text': '',
  'definition.instructions': 'Fails if orders are lost.',
  'definition.model': 'acme/large',
  every: '5',
  'schedule.cron': '0 6 * * *',
  'schedule.timezone': 'Europe/Berlin',
  threshold: '2',
}

it.each([
  [{}, { kind: 'http', target: '/health' }],
  [{ kind: 'log' }, { kind: 'log', level: 'error', text: null }],
  [
    { kind: 'log', 'definition.text': ' out of memory ' },
    { kind: 'log', level: null, text: 'out of memory' },
  ],
  [{ kind: 'agent' }, { kind: 'agent', instructions: 'Fails if orders are lost.', model: 'acme/large' }],
] as const)('CO-03 the form %j becomes a check with the fields of its kind', (changed, definition) => {
  const expected = { name: 'Shop', definition, schedule: { every_minutes: 5 }, threshold: 2 }
  expect(toCheck({ ...FORM, ...changed })).toEqual(expected)
})

it('CO-03 a check by cron runs in its timezone', () => {
  expect(toCheck({ ...FORM, every: 'cron' }).schedule).toEqual({ cron: '0 6 * * *', timezone: 'Europe/Berlin' })
})
