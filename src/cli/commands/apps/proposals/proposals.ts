import { denyProposal, listProposals, retryProposal } from '#contract/maintenance/proposals.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'

export const list = listCommand(listProposals, {
  label: 'Listing proposals',
  input: ([alias]) => ({ alias }),
  header: ['PROPOSAL', 'STATUS', 'SUMMARY', 'CREATED'],
  row: ({ id, status, summary, created_at }, cli) => [id, status, summary, cli.time(created_at)],
  none: ([alias]) => `The maintenance agent has proposed nothing for ${alias}.`,
})

/** Whether the caller may decide about a proposal is the server's to say. */
export const deny = callCommand(denyProposal, {
  input: ([alias, proposal_id]) => ({ alias, proposal_id }),
  confirm: ([, id]) => [`This denies the change ${id} for good`],
  text: ({ id }, [alias]) => `Denied ${id}. ${alias} stays as it is.`,
})

export const retry = callCommand(retryProposal, {
  input: ([alias, proposal_id]) => ({ alias, proposal_id }),
  confirm: ([alias, id]) => [`This makes the change ${id} again, of the revision of ${alias} that is live now`],
  text: ({ id }, [alias], { config }) =>
    `${id} is being validated. See the result: ${config.program} apps proposals show ${alias} ${id}`,
})
