import { type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { openClient } from '../../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { printable } from '../../../terminal/printable.ts'
import { toPairs } from '../../../terminal/table.ts'
import { fileDiffText } from '../file-diff-text.ts'

type Flags = OutputFlags & LoginFlags & { diff?: boolean }

export async function run([alias, proposalId]: [string, string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const asked = { alias, proposal_id: proposalId, diff: flags.diff === true }
  const proposal = await cli.progress('Reading the proposal', client.call(readProposal, asked))
  show(cli, flags.output, proposal, () => [
    ...toPairs(pairsOf(proposal, cli)),
    ...reasonsOf(proposal),
    ...diffOf(proposal),
  ])
  if (proposal.decision.can_approve)
    cli.note(`Deploy it: ${cli.config.program} apps proposals approve ${alias} ${proposal.id}`)
  if (proposal.decision.can_retry)
    cli.note(`Validate it again: ${cli.config.program} apps proposals retry ${alias} ${proposal.id}`)
}

function pairsOf(proposal: Proposal, cli: Cli): [string, string][] {
  const { decision, decided_by } = proposal
  return [
    ['Proposal', proposal.id],
    ['Status', proposal.status],
    ['Summary', printable(proposal.summary)],
    ['Author', proposal.author],
    ['Run', `${proposal.execution_id}${proposal.requested_by ? `, started by ${proposal.requested_by}` : ''}`],
    ['Changes', `${proposal.base_revision_id} to ${proposal.revision_id ?? '-'}`],
    ['Checked', [proposal.validation ?? '-', ...proposal.validation_notes.map(printable)].join('. ')],
    ...(proposal.invalid_reason === null
      ? []
      : [['Not valid', printable(proposal.invalid_reason)] as [string, string]]),
    ['You may', actsOf(decision)],
    ['Decided', decided_by ? `by ${decided_by}, ${cli.time(proposal.decided_at)}` : 'not yet'],
    ['Deploy', proposal.deploy_id ?? '-'],
    ['Created', cli.time(proposal.created_at)],
  ]
}

function actsOf({ can_approve, can_deny, can_retry }: Proposal['decision']): string {
  const acts = [can_approve && 'approve', can_deny && 'deny', can_retry && 'retry'].filter((act) => act !== false)
  return acts.length > 0 ? acts.join(', ') : 'read it'
}

/** Several acts are often refused for the same reason. */
function reasonsOf({ decision }: Proposal): string[] {
  const texts = new Set(decision.reasons.filter(({ act }) => act !== 'retry').map(({ text }) => printable(text)))
  return texts.size > 0 ? ['', ...texts] : []
}

function diffOf({ diff }: Proposal): string[] {
  if (diff === undefined) return []
  if (diff === null) return ['', 'There is no diff, because the change makes no revision.']
  return [
    '',
    ...diff.files.map(fileDiffText),
    ...(diff.truncated ? ['Some patches were left out, because there are too many.'] : []),
  ]
}
