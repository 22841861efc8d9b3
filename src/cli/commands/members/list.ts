import { listMembers } from '#contract/auth/members.ts'
import { collect, openClient } from '../../call/client.ts'
import { ownOrg } from '../../call/own-org.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run(_: [], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const { id: org_id } = await ownOrg(client)
  const list = await cli.progress('Listing members', collect(client, listMembers, { org_id }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['EMAIL', 'NAME', 'ROLE', 'JOINED', 'USER'],
    cut: ['NAME'],
    row: ({ email, name, role, joined_at, user_id }) => [email, name ?? '-', role, cli.time(joined_at), user_id],
    none: 'Your organization has no members.',
  })
}
