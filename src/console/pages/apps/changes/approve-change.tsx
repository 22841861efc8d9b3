import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { listDeploys } from '#contract/apps/deploys.ts'
import {
  approveProposal,
  listAllProposals,
  listProposals,
  type Proposal,
  readProposal,
} from '#contract/maintenance/proposals.ts'
import { explainValidation } from './proposal-words.ts'

/** Says what approval does before it is given. */
export function ApproveChange({ proposal, onClose }: { proposal: Proposal; onClose: () => void }) {
  const { app, id, diff, validation } = proposal
  // The page reads the proposal again while the dialog is open. What was read before is approved, or nothing.
  const [revisionId] = useState(proposal.revision_id ?? proposal.base_revision_id)
  const act = useAct(approveProposal, {
    changes: [readProposal, listAllProposals, listProposals, listDeploys],
    done: () => `Approved. The deploy of ${app.name} is in the queue.`,
    after: onClose,
  })
  const files = diff?.files.length ?? 0
  return (
    <Confirm
      title="Approve and deploy"
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias: app.alias, proposal_id: id, revision_id: revisionId })}
      onClose={onClose}
    >
      <p>
        <strong>{app.name}</strong> is deployed with {files === 1 ? '1 changed file' : `${files} changed files`}. What
        is live now answers until the new revision is healthy, and stays if it never is. You can roll back under
        Deploys.
      </p>
      <p className="soft">{explainValidation(validation)}</p>
    </Confirm>
  )
}
