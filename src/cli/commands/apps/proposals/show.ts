import { type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { clientCommand } from '../../../call/client-command.ts'
import { namePeople } from '../../../call/name-people.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { printable, printableLines } from '../../../terminal/printable.ts'
import { type Pair, toPairs } from '../../../terminal/table.ts'
import { fileDiffText } from '../file-diff-text.ts'
import { proofText } from './proof-text.ts'

type Flags = { diff?: boolean }

export const { run } = clientCommand(async (client, [alias, proposal_id], { diff = false }: Flags, cli) => {
  const reading = client.call(readProposal, { alias, proposal_id, diff })
  const proposal = await cli.progress('Reading the proposal', reading)
  const nameOf = await namePeople(client, [proposal.requested_by, proposal.decided_by])
  const { id, decision } = proposal
  const { program } = cli.config
  return {
    document: proposal,
    text: [
      ...toPairs(pairsOf(proposal, nameOf, cli)),
      ...reasonsOf(proposal),
      ...diffOf(proposal),
      ...outputsOf(proposal),
    ],
    notes: [
      ...(decision.can_approve ? [`Deploy it: ${program} apps proposals approve ${alias} ${id}`] : []),
      ...(decision.can_retry ? [`Validate it again: ${program} apps proposals retry ${alias} ${id}`] : []),
    ],
  }
})

function pairsOf(proposal: Proposal, nameOf: (id: string) => string, cli: Cli): Pair[] {
  const { decision, decided_by } = proposal
  return [
    ['Proposal', proposal.id],
    ['Status', proposal.status],
    ['Summary', proposal.summary],
    ['Author', proposal.author],
    ['Run', `${proposal.execution_id}${proposal.requested_by ? `, started by ${nameOf(proposal.requested_by)}` : ''}`],
    ['Changes', `${proposal.base_revision_id} to ${proposal.revision_id ?? '-'}`],
    ['Checked', [proposal.validation ?? '-', ...proposal.validation_notes].join('. ')],
    ['Proof', proofText(proposal)],
    ['Not valid', proposal.invalid_reason],
    ['You may', actsOf(decision)],
    ['Decided', decided_by ? `by ${nameOf(decided_by)}, ${cli.time(proposal.decided_at)}` : 'not yet'],
    ['Deploy', proposal.deploy_id ?? '-'],
    ['After deploy', proposal.after_deploy?.text],
    ['Created', cli.time(proposal.created_at)],
  ]
}

function actsOf({ can_approve, can_deny, can_retry }: Proposal['decision']): string {
  const acts = [can_approve && 'approve', can_deny && 'deny', can_retry && 'retry'].filter((act) => act !== false)
  return acts.length > 0 ? acts.join(', ') : 'read it'
}

/**
 * Returns why the caller may not approve or deny, each reason once, because both are often refused for the same. Why
 * there is no retry is not shown: it is refused for every proposal that waits for its decision.
 */
function reasonsOf({ decision }: Proposal): string[] {
  const texts = new Set(decision.reasons.filter(({ act }) => act !== 'retry').map(({ text }) => printable(text)))
  return texts.size > 0 ? ['', ...texts] : []
}

/** Shows the outputs of the proof with the diff, because they are read together. */
function outputsOf({ diff, proof }: Proposal): string[] {
  if (!diff || !proof) return []
  const sides = [
    ['Tests on the live revision', proof.before],
    ['Tests with the change', proof.after],
  ] as const
  return sides.flatMap(([title, { runs, output }]) =>
    runs.length === 0 ? [] : ['', `${title}: ${runs.join(', ')}`, printableLines(output || 'They wrote nothing.')],
  )
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
