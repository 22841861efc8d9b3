import type { z } from 'zod'
import type { createCheck } from '#contract/checks/checks.ts'

/** How often a check runs when it is not by cron, in minutes. */
export type Every = '1' | '5' | '60' | '1440' | 'cron'
export type CheckKind = 'http' | 'log' | 'agent'

/** Returns the texts of the form as they are at first, by their place in the input. Those of other kinds are kept. */
export function emptyCheck() {
  return {
    name: '',
    kind: 'http' as CheckKind,
    'definition.target': '/',
    'definition.text': '',
    'definition.instructions': '',
    'definition.model': '',
    every: '5' as Every,
    'schedule.cron': '0 6 * * *',
    'schedule.timezone': Intl.DateTimeFormat().resolvedOptions().timeZone,
    threshold: '1',
  }
}
export type CheckForm = ReturnType<typeof emptyCheck>

type Input = Omit<z.input<typeof createCheck.input>, 'alias'>

/** Turns the form into the input of the operation, with the fields of the chosen kind only. */
export function toCheck(form: CheckForm): Input {
  return {
    name: form.name,
    definition: definitionOf(form),
    schedule:
      form.every === 'cron'
        ? { cron: form['schedule.cron'], timezone: form['schedule.timezone'] }
        : { every_minutes: Number(form.every) },
    threshold: Number(form.threshold),
  }
}

function definitionOf(form: CheckForm): Input['definition'] {
  const { kind } = form
  if (kind === 'http') return { kind, target: form['definition.target'] }
  if (kind === 'agent') return { kind, instructions: form['definition.instructions'], model: form['definition.model'] }
  const words = form['definition.text'].trim()
  return words === '' ? { kind, level: 'error', text: null } : { kind, level: null, text: words }
}
