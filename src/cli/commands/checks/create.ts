import { randomUUID } from 'node:crypto'
import { createCheck } from '#contract/checks/checks.ts'
import type { CheckDefinition } from '#contract/checks/definition.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { type DefinitionFlags, givenFields, givenSchedule, type ScheduleFlags } from './definition.ts'

type Flags = OutputFlags &
  LoginFlags &
  DefinitionFlags &
  ScheduleFlags & { kind?: CheckDefinition['kind']; threshold?: number }

export async function run([alias, name]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const { kind = 'http', threshold } = flags
  const schedule = givenSchedule(flags)
  // The server checks the fields, and says what is missing.
  const definition = { kind, ...givenFields(kind, flags) } as CheckDefinition
  const input = {
    alias,
    name,
    definition,
    ...(schedule && { schedule }),
    ...(threshold !== undefined && { threshold }),
  }
  const client = await openClient(flags, cli)
  const check = await client.call(createCheck, input, { idempotencyKey: randomUUID() })
  show(cli, flags.output, check, () => `Created the check ${name} (${check.id}).`)
  if (check.next_run_at !== null && 'cron' in check.schedule) cli.note(`It runs next at ${check.next_run_at}.`)
}
