import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { Facts } from '#console/parts/list/facts.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { tookText } from '#console/parts/text/duration.ts'
import { shortTimes } from '#console/parts/text/short-times.ts'
import { Time } from '#console/parts/text/time.tsx'
import { presentOutcome } from '#contract/maintenance/outcomes.ts'
import { type MaintenanceRun, readMaintenanceRun } from '#contract/maintenance/runs.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { RunChip } from './run-chip.tsx'

/** One maintenance run: what it found, what it read and what it spent. */
export function RunPage() {
  const alias = useAlias()
  const { executionId = '' } = useParams({ strict: false })
  const run = useCall(
    readMaintenanceRun,
    { alias, execution_id: executionId },
    { poll: (latest) => latest && latest.status !== 'ended' && 'moving' },
  )
  return (
    <AppDetail title="Maintenance run" section="Maintenance">
      <Loaded of={run}>
        {(data) => (
          <div className="stack">
            <Finding alias={alias} run={data} />
            <RunFacts run={data} />
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
      {run.after_deploy && <p className="prose">{run.after_deploy.text}</p>}
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

function RunFacts({ run }: { run: MaintenanceRun }) {
  const nameOf = useNames([run.requested_by])
  return (
    <Facts
      of={{
        Started: (
          <>
            <Time at={run.created_at} /> {run.mode === 'nightly' ? 'in the night' : 'by hand'}
            {run.requested_by !== null && `, by ${nameOf(run.requested_by)}`}
          </>
        ),
        Took: tookText(run.created_at, run.ended_at),
        Model: <code>{run.model}</code>,
        Cost: `${run.tokens_spent.toLocaleString()} tokens`,
        'Ended with': run.terminal_code !== null && <code>{run.terminal_code}</code>,
        Fingerprint: run.fingerprint !== null && <code>{run.fingerprint}</code>,
      }}
    />
  )
}

type Evidence = MaintenanceRun['evidence'][number]

const COLUMNS: readonly Column<Evidence>[] = [
  { head: 'What was read', cell: ({ kind }) => kind },
  { head: 'Which part', cell: ({ reference }) => <code className="cut">{shortTimes(reference)}</code>, isPlain: true },
  { head: 'Size', cell: ({ bytes }) => `${bytes.toLocaleString()} bytes`, isNumber: true },
  { head: 'Digest', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code>, isWide: true },
]

/** Lists what the agent was given. Equal digests mean that the same would be given today. */
function EvidenceTable({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p className="soft">The run read nothing.</p>
  return (
    <Table
      isStacked
      caption="Evidence of the run"
      columns={COLUMNS}
      rows={evidence}
      keyOf={({ kind, reference, sha256 }) => `${kind} ${reference} ${sha256}`}
    />
  )
}
