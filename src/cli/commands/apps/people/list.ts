import { listAppPeople } from '#contract/apps/people.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

export async function run([alias]: [string], flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await client.call(listAppPeople, { alias })
  showList(cli, flags.output, list, {
    header: ['USER', 'PART', 'NAME', 'ADDED'],
    cut: ['NAME'],
    row: ({ user_id, part, display_name, is_member, added_at }) => [
      user_id,
      part,
      is_member === false ? '(left)' : (display_name ?? '-'),
      cli.time(added_at),
    ],
    none: `Nobody has a part in ${alias}. Owners and admins may do everything in it.`,
  })
}
