import { diffRevisions } from '#contract/apps/revisions.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { fileDiffText } from './file-diff-text.ts'

/** The last one is optional. */
type Args = [alias: string, revision: string, ...base: string[]]

export async function run([alias, revision, base]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const input = { alias, revision_id: revision, ...(base !== undefined && { base }) }
  const diff = await cli.progress('Comparing revisions', client.call(diffRevisions, input))
  if (diff.files.length === 0) cli.note('The revisions have the same files.')
  show(cli, flags.output, diff, () => diff.files.map(fileDiffText))
  if (diff.truncated) cli.note('Some patches were left out, because the answer would be too large.')
}
