import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { Time } from '#console/parts/time.tsx'
import { type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { AppDetail } from '../app-detail.tsx'
import { Diff } from '../diff/diff.tsx'
import { useAlias } from '../use-alias.ts'
import { ChangeDeploy } from './change-deploy.tsx'
import { ChangeEvidence } from './change-evidence.tsx'
import { Decision } from './decision.tsx'
import { ProposalChip } from './proposal-chip.tsx'
import { isProposalMoving } from './proposal-words.ts'
import '#console/styles/change.css'

const WHILE_MOVING_MS = 2_000
const WHILE_WAITING_MS = 15_000

/** A proposed change: what and why, the change itself, the evidence, and the decision. */
export function ChangePage() {
  const alias = useAlias()
  const { proposalId = '' } = useParams({ strict: false })
  const input = { alias, proposal_id: proposalId, diff: true }
  const proposal = useCall(readProposal, input, {
    everyMs: (known) => (known && isProposalMoving(known) ? WHILE_MOVING_MS : WHILE_WAITING_MS),
  })
  return (
    <AppDetail title="Proposed change" section={{ label: 'Changes', link: { to: '/changes' } }}>
      <Loaded of={proposal}>
        {(data) => (
          <div className="change">
            <section className="change-head">
              <p className="row">
                <ProposalChip status={data.status} />
                <span className="soft">
                  for {data.app.name}, <Time at={data.created_at} />
                </span>
              </p>
              <p className="prose summary">{data.summary}</p>
              {data.invalid_reason !== null && <p className="banner">{data.invalid_reason}</p>}
            </section>
            <aside className="stack">
              <Decision proposal={data} />
              <ChangeEvidence proposal={data} />
            </aside>
            <div className="stack change-body">
              {data.deploy_id !== null && <ChangeDeploy alias={alias} deployId={data.deploy_id} />}
              <ProposedDiff proposal={data} />
            </div>
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function ProposedDiff({ proposal: { diff } }: { proposal: Proposal }) {
  if (!diff) return <p className="soft">There is no change to show: the edits make no new revision.</p>
  return (
    <>
      {diff.truncated && <p className="banner">The change is too large to show whole.</p>}
      <Diff files={diff.files} />
    </>
  )
}
