import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useNames } from '#console/call/use-names.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Time } from '#console/parts/time.tsx'
import {
  listAllProposals,
  listProposals,
  type Proposal,
  readProposal,
  retryProposal,
} from '#contract/maintenance/proposals.ts'
import { ApproveChange } from './approve-change.tsx'
import { DenyChange } from './deny-change.tsx'

/** Shows whether the person may approve, deny or retry the change, with the reasons that the server gives. */
export function Decision({ proposal }: { proposal: Proposal }) {
  const { app, decision, id } = proposal
  const [asking, setAsking] = useState<'approve' | 'deny'>()
  const retry = useAct(retryProposal, {
    changes: [readProposal, listAllProposals, listProposals],
    done: () => 'The change is being checked against what is live now.',
  })
  const close = () => setAsking(undefined)
  return (
    <section className="card decision">
      <h2>Decision</h2>
      <Decided proposal={proposal} />
      <Why proposal={proposal} />
      <div className="row acts">
        {decision.can_approve && (
          <button type="button" className="button main" onClick={() => setAsking('approve')}>
            Approve and deploy
          </button>
        )}
        {decision.can_deny && (
          <button type="button" className="button" onClick={() => setAsking('deny')}>
            Deny change
          </button>
        )}
        {decision.can_retry && (
          <button
            type="button"
            className="button"
            aria-busy={retry.isRunning}
            onClick={() => retry.run({ alias: app.alias, proposal_id: id })}
          >
            Check change again
          </button>
        )}
      </div>
      <Fault of={retry.error} />
      {asking === 'approve' && <ApproveChange proposal={proposal} onClose={close} />}
      {asking === 'deny' && <DenyChange proposal={proposal} onClose={close} />}
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
