import { approveProposal, type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { openClient } from '../../../call/client.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { confirm } from '../../../terminal/prompt.ts'
import { fileDiffText } from '../file-diff-text.ts'
import type { ActFlags } from './act.ts'

/** Prints the change and approves the revision that was printed. The server refuses if the proposal makes another by then. */
export async function run([alias, id]: [string, string], flags: ActFlags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const one = { alias, proposal_id: id }
  const read = await cli.progress('Reading the proposal', client.call(readProposal, { ...one, diff: true }))
  for (const line of linesOf(read)) cli.note(line)
  await confirm(cli, flags.yes, `This deploys the change ${id} to ${alias}`)
  // A proposal without a revision is refused by the server, which says why.
  const revision_id = read.revision_id ?? read.base_revision_id
  const proposal = await client.call(approveProposal, { ...one, revision_id })
  const done = `Approved ${proposal.id}. Its deploy is ${proposal.deploy_id}: svc apps deploys ${alias}`
  show(cli, flags.output, proposal, () => done)
}

function linesOf({ id, summary, base_revision_id, revision_id, diff }: Proposal): string[] {
  return [
    `Proposal ${id}: ${printable(summary)}`,
    `Changes ${base_revision_id} to ${revision_id ?? '-'}`,
    ...(diff?.files ?? []).map(fileDiffText),
  ]
}
