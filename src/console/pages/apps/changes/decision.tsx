import { useState } from 'react'
import { useNames } from '#console/call/use-names.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Confirm } from '#console/parts/form/confirm.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { listDeploys } from '#contract/apps/deploys.ts'
import {
  approveProposal,
  denyProposal,
  listAllProposals,
  listProposals,
  type Proposal,
  readProposal,
  retryProposal,
} from '#contract/maintenance/proposals.ts'
import { PROOF_STATES } from './describe-proof.ts'
import { explainValidation } from './describe-proposal.ts'

/** Shows whether the person may approve, deny or retry the change, with the reasons that the server gives. */
export function Decision({ proposal }: { proposal: Proposal }) {
  const { app, decision, id } = proposal
  return (
    <section className="card decision">
      <h2>Decision</h2>
      <Decided proposal={proposal} />
      <Why proposal={proposal} />
      <div className="row acts">
        <Opener
          label="Approve and deploy"
          look="main"
          isOffered={decision.can_approve}
          dialog={<ApproveChange proposal={proposal} />}
        />
        <AskButton
          title="Deny change"
          isOffered={decision.can_deny}
          op={denyProposal}
          input={{ alias: app.alias, proposal_id: id }}
          changes={[readProposal, listAllProposals, listProposals]}
          done={`Denied. ${app.name} stays as it is.`}
        >
          <p>
            <strong>{app.name}</strong> stays as it is. The same fault is not proposed again while its file is the same.
            This cannot be undone.
          </p>
        </AskButton>
        {decision.can_retry && (
          <ActButton
            op={retryProposal}
            input={{ alias: app.alias, proposal_id: id }}
            changes={[readProposal, listAllProposals, listProposals]}
            done="The change is being checked against what is live now."
          >
            Check change again
          </ActButton>
        )}
      </div>
    </section>
  )
}

/** Statuses in which the line about the decision says all there is to say. */
const SETTLED: readonly Proposal['status'][] = ['approved', 'deploying', 'deployed', 'denied']

function Why({ proposal: { decision, status } }: { proposal: Proposal }) {
  if (SETTLED.includes(status)) return null
  const reasons = decision.reasons.filter(({ act }) => act !== 'retry')
  const isPlain = decision.can_approve && !reasons.some(({ act }) => act === 'approve')
  return (
    <>
      {isPlain && (
        <p>You can approve this change: your role allows it, and you did not start the run that proposed it.</p>
      )}
      {[...new Set(reasons.map(({ text }) => text))].map((text) => (
        <p key={text}>{text}</p>
      ))}
    </>
  )
}

function Decided({ proposal: { status, decided_by, decided_at } }: { proposal: Proposal }) {
  const nameOf = useNames([decided_by])
  if (decided_at === null) return null
  return (
    <p>
      {status === 'denied' ? 'Denied' : 'Approved'} by {decided_by === null ? 'somebody' : nameOf(decided_by)}{' '}
      <Time at={decided_at} />.
    </p>
  )
}

/** The dialog that explains the effect of an approval before the person approves. */
function ApproveChange({ proposal }: { proposal: Proposal }) {
  const { app, id, diff, validation, proof } = proposal
  // The page reads the proposal again while the dialog is open. What was read before is approved, or nothing.
  const [revisionId] = useState(proposal.revision_id ?? proposal.base_revision_id)
  const files = diff?.files.length ?? 0
  return (
    <Confirm
      title="Approve and deploy"
      op={approveProposal}
      input={{ alias: app.alias, proposal_id: id, revision_id: revisionId }}
      changes={[readProposal, listAllProposals, listProposals, listDeploys]}
      done={`Approved. The deploy of ${app.name} is in the queue.`}
    >
      <p>
        <strong>{app.name}</strong> is deployed with {files === 1 ? '1 changed file' : `${files} changed files`}. What
        is live now answers until the new revision is healthy, and stays if it never is. You can roll back under
        Deploys.
      </p>
      <p className="soft">{explainValidation(validation)}</p>
      <p className="soft">{PROOF_STATES[proof?.outcome ?? 'none'].word}.</p>
    </Confirm>
  )
}
