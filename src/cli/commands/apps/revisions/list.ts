import { listRevisions } from '#contract/apps/revisions.ts'
import { collect, openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { showList } from '../../../terminal/output.ts'

type Flags = OutputFlags & LoginFlags & { limit?: number }

export async function run([alias]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const list = await cli.progress('Listing revisions', collect(client, listRevisions, { alias }, flags.limit))
  showList(cli, flags.output, list, {
    header: ['ID', 'WHEN', 'FILES', 'BYTES', 'BY', 'MESSAGE'],
    cut: ['MESSAGE', 'BY'],
    row: ({ id, created_at, file_count, total_bytes, created_by, message }) => [
      id,
      cli.time(created_at),
      String(file_count),
      String(total_bytes),
      created_by ?? 'maintenance agent',
      message ?? '-',
    ],
    none: `${alias} has no revisions yet. Create one with: svc apps deploy ${alias} --dir .`,
  })
}
