import type { CheckDefinition, CheckSchedule } from '#contract/checks/definition.ts'
import { usageError } from '../../command/hinted-error.ts'

type Kind = CheckDefinition['kind']

export type DefinitionFlags = {
  target?: string
  status?: number
  contains?: string
  within?: number
  text?: string
  level?: 'debug' | 'info' | 'warn' | 'error'
  max?: number
  min?: number
  instructions?: string
  model?: string
  path?: string
  window?: number
}
export type ScheduleFlags = { every?: number; cron?: string; timezone?: string }

type Flag = keyof DefinitionFlags

/** The field of the definition that each option sets, by kind. An empty text means none. */
const FIELDS: Record<Kind, Partial<Record<Flag, string>>> = {
  http: { target: 'target', status: 'expected_status', contains: 'contains', within: 'timeout_seconds' },
  log: { text: 'text', level: 'level', max: 'max_count', min: 'min_count', window: 'window_minutes' },
  agent: { instructions: 'instructions', model: 'model', level: 'level', path: 'path', window: 'window_minutes' },
}
const OPTIONS = [...new Set(Object.values(FIELDS).flatMap((fields) => Object.keys(fields)))] as Flag[]

/** Returns the fields that the options set. Throws for an option of another kind. */
export function givenFields(kind: Kind, flags: DefinitionFlags): Record<string, unknown> {
  const given = OPTIONS.filter((option) => flags[option] !== undefined)
  const foreign = given.find((option) => FIELDS[kind][option] === undefined)
  if (foreign !== undefined) {
    const kinds = (Object.keys(FIELDS) as Kind[]).filter((one) => FIELDS[one][foreign] !== undefined)
    throw usageError(`--${foreign} is for checks of kind ${kinds.join(' or ')}, not ${kind}.`)
  }
  return Object.fromEntries(given.map((option) => [FIELDS[kind][option], flags[option] === '' ? null : flags[option]]))
}

/** Returns undefined if no option of the schedule was given. */
export function givenSchedule({ every, cron, timezone }: ScheduleFlags): CheckSchedule | undefined {
  if (every !== undefined && cron !== undefined) throw usageError('Give either --every or --cron, not both.')
  if (timezone !== undefined && cron === undefined) throw usageError('--timezone needs --cron.')
  if (cron !== undefined) return { cron, timezone: timezone ?? 'UTC' }
  return every === undefined ? undefined : { every_minutes: every }
}
