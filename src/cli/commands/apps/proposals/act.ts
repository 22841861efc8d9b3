import { denyProposal, type ProposalAct, retryProposal } from '#contract/maintenance/proposals.ts'
import { openClient } from '../../../call/client.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { show } from '../../../terminal/output.ts'
import { confirm } from '../../../terminal/prompt.ts'

export type ActFlags = OutputFlags & LoginFlags & ConfirmFlags
type Named = { readonly alias: string; readonly id: string }

const ACTS = {
  deny: {
    op: denyProposal,
    ask: ({ id }: Named) => `This denies the change ${id} for good`,
    done: ({ alias, id }: Named) => `Denied ${id}. ${alias} stays as it is.`,
  },
  retry: {
    op: retryProposal,
    ask: ({ alias, id }: Named) => `This makes the change ${id} again, of the revision of ${alias} that is live now`,
    done: ({ alias, id }: Named) => `${id} is being validated. See the result: svc apps proposals show ${alias} ${id}`,
  },
} as const

/** Decides about a proposal. Whether the caller may is the server's to say. */
export async function act(
  kind: Exclude<ProposalAct, 'approve'>,
  { alias, id }: Named,
  flags: ActFlags,
  cli: Cli,
): Promise<void> {
  const { op, ask, done } = ACTS[kind]
  const client = await openClient(flags, cli)
  await confirm(cli, flags.yes, ask({ alias, id }))
  const proposal = await client.call(op, { alias, proposal_id: id })
  show(cli, flags.output, proposal, () => done({ alias, id: proposal.id }))
}
