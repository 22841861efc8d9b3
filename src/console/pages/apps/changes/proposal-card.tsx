import { Link } from '@tanstack/react-router'
import { Time } from '#console/parts/time.tsx'
import type { Proposal } from '#contract/maintenance/proposals.ts'
import { ProposalChip } from './proposal-chip.tsx'

export function ProposalCard({ proposal: { id, app, status, summary, created_at } }: { proposal: Proposal }) {
  return (
    <section className="card">
      <p className="row">
        <strong>{app.name}</strong>
        <ProposalChip status={status} />
        <span className="soft">
          <Time at={created_at} />
        </span>
      </p>
      <p>
        <Link to="/apps/$alias/changes/$proposalId" params={{ alias: app.alias, proposalId: id }}>
          {summary}
        </Link>
      </p>
    </section>
  )
}
