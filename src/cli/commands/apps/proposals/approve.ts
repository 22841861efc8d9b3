import { approveProposal, type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { askToConfirm, clientCommand } from '../../../call/client-command.ts'
import type { ConfirmFlags } from '../../../command/command.ts'
import { printable } from '../../../terminal/printable.ts'
import { fileDiffText } from '../file-diff-text.ts'
import { proofText } from './proof-text.ts'

/** Prints the change and approves the revision that was printed. The server refuses if the proposal makes another by then. */
export const { run } = clientCommand(async (client, [alias, id], { yes }: ConfirmFlags, cli) => {
  const one = { alias, proposal_id: id }
  const read = await cli.progress('Reading the proposal', client.call(readProposal, { ...one, diff: true }))
  for (const line of linesOf(read)) cli.note(line)
  const reasons = reasonsToApprove(read)
  for (const reason of reasons) cli.note(reason)
  await askToConfirm(cli, yes, `This deploys the change ${id} to ${alias}`)
  // A proposal without a revision is refused by the server, which says why.
  const revision_id = read.revision_id ?? read.base_revision_id
  const proposal = await client.call(approveProposal, { ...one, revision_id })
  const deploys = `${cli.config.program} apps deploys ${alias}`
  const approved = `Approved ${proposal.id}. Its deploy is ${proposal.deploy_id}: ${deploys}`
  return { document: proposal, text: [approved, ...reasons].join('\n') }
})

/** Returns why the caller may approve a change that they had a part in. Empty for everybody else. */
function reasonsToApprove({ decision }: Proposal): string[] {
  if (!decision.can_approve) return []
  return decision.reasons.filter(({ act }) => act === 'approve').map(({ text }) => printable(text))
}

function linesOf(proposal: Proposal): string[] {
  const { id, summary, base_revision_id, revision_id, diff } = proposal
  return [
    `Proposal ${id}: ${printable(summary)}`,
    `Changes ${base_revision_id} to ${revision_id ?? '-'}`,
    ...(diff?.files ?? []).map(fileDiffText),
    proofText(proposal),
  ]
}
