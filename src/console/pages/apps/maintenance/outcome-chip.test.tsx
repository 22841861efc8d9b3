import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { OutcomeChip } from './outcome-chip.tsx'

/** Which word and which colour a person sees. */
function shown(outcome: string) {
  const html = renderToStaticMarkup(<OutcomeChip outcome={outcome} />)
  return {
    tone: /class="chip (\w+)"/.exec(html)?.[1],
    word: html.replace(/<span class="mark".*?<\/span>/, '').replace(/<[^>]+>/g, ''),
  }
}

it.each([
  ['found_nothing', 'success', 'Ran, found nothing'],
  ['finding_recorded', 'attention', 'Finding recorded'],
  ['proposed', 'attention', 'A proposal in the change queue'],
  ['budget_exhausted', 'attention', 'Budget limited'],
  ['skipped', 'plain', 'Skipped'],
  ['agent_error', 'failure', 'Agent error'],
  ['fenced', 'plain', 'Stopped'],
])('MA-07 CO-03 the outcome %s is shown in %s as %j', (outcome, tone, word) => {
  expect(shown(outcome)).toEqual({ tone, word })
})

it.each(['healthy_as_never_before', 'success', 'constructor', '', 'FOUND_NOTHING'])(
  'MA-07 CO-03 the unknown outcome %j is an unrecognised result, never in a healthy colour',
  (outcome) => {
    expect(shown(outcome)).toEqual({ tone: 'unknown', word: 'Unrecognised result' })
  },
)
