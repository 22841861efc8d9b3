import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { More } from '#console/parts/list/more.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import type { Proposal } from '#contract/maintenance/proposals.ts'
import { PROPOSAL_STATES } from './describe-proposal.ts'

type Pages = ComponentProps<typeof Loaded<readonly Proposal[]>>['of'] & ComponentProps<typeof More>['of']

/** Proposed changes that are read page by page. A page can be empty although there are more. */
export function ProposalCards({ of, empty }: { of: Pages; empty: ReactNode }) {
  return (
    <Loaded of={of}>
      {(items) =>
        items.length === 0 && !of.loadMore ? (
          empty
        ) : (
          <div className="stack">
            {items.map((proposal) => (
              <ProposalCard key={proposal.id} proposal={proposal} />
            ))}
            <More of={of} />
          </div>
        )
      }
    </Loaded>
  )
}

function ProposalCard({ proposal: { id, app, status, summary, created_at } }: { proposal: Proposal }) {
  return (
    <section className="card proposal">
      <p className="row">
        <strong>{app.name}</strong>
        <StatusChip of={PROPOSAL_STATES[status]} />
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
