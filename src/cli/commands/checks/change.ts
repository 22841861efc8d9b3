import { changeCheck, readCheck } from '#contract/checks/checks.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { type DefinitionFlags, givenFields, givenSchedule, type ScheduleFlags } from './definition.ts'

type Flags = OutputFlags & LoginFlags & DefinitionFlags & ScheduleFlags & { name?: string; threshold?: number }

export async function run([alias, check]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const { name, threshold } = flags
  const schedule = givenSchedule(flags)
  const client = await openClient(flags, cli)
  const former = await client.call(readCheck, { alias, check })
  const fields = givenFields(former.definition.kind, flags)
  const change = {
    ...(name !== undefined && { name }),
    ...(threshold !== undefined && { threshold }),
    ...(schedule && { schedule }),
    // The server replaces the definition as a whole.
    ...(Object.keys(fields).length > 0 && { definition: { ...former.definition, ...fields } }),
  }
  if (Object.keys(change).length === 0) {
    throw new ServiceError('INVALID_REQUEST', 'Nothing to change. Give an option that says what.')
  }
  const changed = await client.call(changeCheck, { alias, check: former.id, ...change })
  show(cli, flags.output, changed, () => `Changed the check ${changed.name}.`)
}
