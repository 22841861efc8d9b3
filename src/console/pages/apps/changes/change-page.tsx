import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { shortTimes } from '#console/parts/text/short-times.ts'
import { Time } from '#console/parts/text/time.tsx'
import { type Proposal, readProposal } from '#contract/maintenance/proposals.ts'
import { AppDetail } from '../app-detail.tsx'
import { Diff } from '../diff/diff.tsx'
import { useAlias } from '../use-alias.ts'
import { ChangeEvidence } from './change-evidence.tsx'
import { ChangeProof } from './change-proof.tsx'
import { Decision } from './decision.tsx'
import { isProposalMoving, PROPOSAL_STATES } from './describe-proposal.ts'
import '#console/styles/change.css'
import { readDeploy } from '#contract/apps/deploys.ts'
import { DeployProgress } from '../deploys/deploy-progress.tsx'

/** A proposed change: what and why, the change itself, the evidence, and the decision. */
export function ChangePage() {
  const alias = useAlias()
  const { proposalId = '' } = useParams({ strict: false })
  const input = { alias, proposal_id: proposalId, diff: true }
  const proposal = useCall(readProposal, input, {
    poll: (latest) => (latest && isProposalMoving(latest) ? 'moving' : 'decision'),
  })
  return (
    <AppDetail title="Proposed change" section="Changes">
      <Loaded of={proposal}>
        {(data) => (
          <div className="change">
            <section className="change-head">
              <p className="row">
                <StatusChip of={PROPOSAL_STATES[data.status]} />
                <span className="soft">
                  for {data.app.name}, <Time at={data.created_at} />
                </span>
              </p>
              <p className="prose summary">{data.summary}</p>
              {data.invalid_reason !== null && <p className="banner">{data.invalid_reason}</p>}
              {data.after_deploy && <p className="banner">{shortTimes(data.after_deploy.text)}</p>}
            </section>
            <aside className="stack">
              <Decision proposal={data} />
              <ChangeEvidence proposal={data} />
            </aside>
            <div className="stack change-body">
              {data.deploy_id !== null && <ChangeDeploy alias={alias} deployId={data.deploy_id} />}
              <ChangeProof proposal={data} />
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

/** The deploy that the approval queued, as it goes on. */
function ChangeDeploy({ alias, deployId }: { alias: string; deployId: string }) {
  const deploy = useCall(readDeploy, { alias, deploy_id: deployId })
  return (
    <Loaded of={deploy} rows={2}>
      {(data) => <DeployProgress alias={alias} deploy={data} />}
    </Loaded>
  )
}
