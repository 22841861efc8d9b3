import type { z } from 'zod'
import type { createCheck } from '#contract/checks/checks.ts'

/** How often a check runs when it is not by cron, in minutes. */
export type Every = '1' | '5' | '60' | '1440' | 'cron'
export type CheckKind = 'http' | 'log' | 'agent'

/** The texts of the form as they were typed. Fields of other kinds keep their texts while the kind is changed. */
export type CheckForm = {
  readonly name: string
  readonly kind: CheckKind
  readonly target: string
  readonly text: string
  readonly instructions: string
  readonly model: string
  readonly every: Every
  readonly cron: string
  readonly timezone: string
  readonly threshold: string
}

type Input = Omit<z.input<typeof createCheck.input>, 'alias'>

/** Turns the form into the input of the operation, with the fields of the chosen kind only. */
export function toCheck(form: CheckForm): Input {
  return {
    name: form.name,
    definition: definitionOf(form),
    schedule:
      form.every === 'cron' ? { cron: form.cron, timezone: form.timezone } : { every_minutes: Number(form.every) },
    threshold: Number(form.threshold),
  }
}

function definitionOf({ kind, target, text, instructions, model }: CheckForm): Input['definition'] {
  if (kind === 'http') return { kind, target }
  if (kind === 'agent') return { kind, instructions, model }
  const words = text.trim()
  return words === '' ? { kind, level: 'error', text: null } : { kind, level: null, text: words }
}
