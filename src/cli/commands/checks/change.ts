import { changeCheck, readCheck } from '#contract/checks/checks.ts'
import { callCommand } from '../../call/operation-command.ts'
import { usageError } from '../../command/hinted-error.ts'
import { type DefinitionFlags, givenFields, givenSchedule, type ScheduleFlags } from './definition.ts'

type Flags = DefinitionFlags & ScheduleFlags & { name?: string; threshold?: number }

export const { run } = callCommand(changeCheck, {
  check: (_, flags: Flags) => void givenSchedule(flags),
  input: async ([alias, check], flags, client) => {
    const { name, threshold } = flags
    const schedule = givenSchedule(flags)
    const { id, definition } = await client.call(readCheck, { alias, check })
    const fields = givenFields(definition.kind, flags)
    const change = {
      ...(name !== undefined && { name }),
      ...(threshold !== undefined && { threshold }),
      ...(schedule && { schedule }),
      // The server replaces the definition as a whole.
      ...(Object.keys(fields).length > 0 && { definition: { ...definition, ...fields } }),
    }
    if (Object.keys(change).length === 0) throw usageError('Nothing to change. Give an option that says what.')
    return { alias, check: id, ...change }
  },
  text: ({ name }) => `Changed the check ${name}.`,
})
