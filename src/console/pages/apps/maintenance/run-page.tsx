import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { durationText } from '#console/parts/duration.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { Time } from '#console/parts/time.tsx'
import { presentOutcome } from '#contract/maintenance/outcomes.ts'
import { type MaintenanceRun, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { EvidenceTable } from './evidence-table.tsx'
import { RunChip } from './run-chip.tsx'

/** One maintenance run: what it found, what it read and what it spent. */
export function RunPage() {
  const alias = useAlias()
  const { executionId = '' } = useParams({ strict: false })
  const first = useCall(readMaintenanceRun, { alias, execution_id: executionId })
  const isRunning = first.data !== undefined && first.data.status !== 'ended'
  const run = useCall(readMaintenanceRun, { alias, execution_id: executionId }, { everyMs: isRunning && 2_000 })
  return (
    <AppDetail
      title="Maintenance run"
      section={{ label: 'Maintenance', link: { to: '/apps/$alias/maintenance', params: { alias } } }}
    >
      <Loaded of={run}>
        {(data) => (
          <div className="stack">
            <Finding alias={alias} run={data} />
            <Facts run={data} />
            <section>
              <h2>Evidence</h2>
              <EvidenceTable evidence={data.evidence} />
            </section>
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function Finding({ alias, run }: { alias: string; run: MaintenanceRun }) {
  return (
    <section className="card">
      <p className="row">
        <RunChip run={run} />
        {run.outcome !== null && <span className="soft">{presentOutcome(run.outcome).meaning}.</span>}
      </p>
      {run.summary !== null && <p className="prose">{run.summary}</p>}
      {run.proposal_id !== null && (
        <p>
          <Link
            className="button main"
            to="/apps/$alias/changes/$proposalId"
            params={{ alias, proposalId: run.proposal_id }}
          >
            Show proposed change
          </Link>
        </p>
      )}
    </section>
  )
}

function Facts({ run }: { run: MaintenanceRun }) {
  const nameOf = useNames([run.requested_by])
  return (
    <dl>
      <dt>Started</dt>
      <dd>
        <Time at={run.created_at} /> {run.mode === 'nightly' ? 'in the night' : 'by hand'}
        {run.requested_by !== null && `, by ${nameOf(run.requested_by)}`}
      </dd>
      {run.ended_at !== null && (
        <>
          <dt>Took</dt>
          <dd>{durationText((Date.parse(run.ended_at) - Date.parse(run.created_at)) / 1000)}</dd>
        </>
      )}
      <dt>Model</dt>
      <dd>
        <code>{run.model}</code>
      </dd>
      <dt>Cost</dt>
      <dd>{`${run.tokens_spent.toLocaleString()} tokens`}</dd>
      {run.terminal_code !== null && (
        <>
          <dt>Ended with</dt>
          <dd>
            <code>{run.terminal_code}</code>
          </dd>
        </>
      )}
      {run.fingerprint !== null && (
        <>
          <dt>Fingerprint</dt>
          <dd>
            <code>{run.fingerprint}</code>
          </dd>
        </>
      )}
    </dl>
  )
}
