import { createCheck } from '#contract/checks/checks.ts'
import type { CheckDefinition } from '#contract/checks/definition.ts'
import { callCommand } from '../../call/operation-command.ts'
import { type DefinitionFlags, givenFields, givenSchedule, type ScheduleFlags } from './definition.ts'

type Flags = DefinitionFlags & ScheduleFlags & { kind?: CheckDefinition['kind']; threshold?: number }

export const { run } = callCommand(createCheck, {
  check: (_, flags: Flags) => void settingsOf(flags),
  input: ([alias, name], flags) => ({ alias, name, ...settingsOf(flags) }),
  once: true,
  text: ({ id }, [, name]) => `Created the check ${name} (${id}).`,
  notes: ({ next_run_at, schedule }) =>
    next_run_at !== null && 'cron' in schedule ? [`It runs next at ${next_run_at}.`] : [],
})

function settingsOf(flags: Flags) {
  const { kind = 'http', threshold } = flags
  const schedule = givenSchedule(flags)
  return {
    // The server checks the fields, and says what is missing.
    definition: { kind, ...givenFields(kind, flags) } as CheckDefinition,
    ...(schedule && { schedule }),
    ...(threshold !== undefined && { threshold }),
  }
}
