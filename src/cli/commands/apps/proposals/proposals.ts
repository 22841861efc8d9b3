import type { Client } from '#contract/core/client.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { denyProposal, listProposals, retryProposal } from '#contract/maintenance/proposals.ts'
import { readMaintenance } from '#contract/maintenance/runs.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { modelNotes } from '../maintenance/texts.ts'

export const list = listCommand(listProposals, {
  label: 'Listing proposals',
  input: ([alias]) => ({ alias }),
  header: ['PROPOSAL', 'STATUS', 'SUMMARY', 'CREATED'],
  row: ({ id, status, summary, created_at }, cli) => [id, status, summary, cli.time(created_at)],
  none: ([alias]) => `The maintenance agent has proposed nothing for ${alias}.`,
  noneNotes: ([alias], cli, client) => whyNothing(client, alias, cli),
})

/** Explains an empty list by the settings. Where the organization has the agent off, the server says what to do. */
async function whyNothing(client: Client, alias: string, { config }: Cli): Promise<readonly string[]> {
  try {
    const { settings } = await client.call(readMaintenance, { alias })
    if (settings.enabled) return modelNotes(settings.model)
    const enable = `It is off for ${alias}. Switch it on: ${config.program} apps maintenance enable ${alias} --yes`
    return [enable, ...modelNotes(settings.model)]
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'MAINTENANCE_AGENT_NOT_FOUND') return [error.message]
    throw error
  }
}

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
