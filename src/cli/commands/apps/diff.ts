import { diffRevisions, type FileChange } from '#contract/apps/revisions.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { printable, printableLines } from '../../printable.ts'

/** The last one is optional. */
type Args = [alias: string, revision: string, ...base: string[]]

export async function run([alias, revision, base]: Args, flags: OutputFlags & LoginFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const input = { alias, revision_id: revision, ...(base !== undefined && { base }) }
  const diff = await cli.progress('Comparing revisions', client.call(diffRevisions, input))
  if (diff.files.length === 0) cli.note('The revisions have the same files.')
  show(cli, flags.output, diff, () => diff.files.map(toText))
  if (diff.truncated) cli.note('Some patches were left out, because the answer would be too large.')
}

function toText({ path, change, patch }: FileChange): string {
  if (patch !== null) return printableLines(patch.trimEnd())
  return `${printable(path)}: ${change}, without a text comparison`
}
