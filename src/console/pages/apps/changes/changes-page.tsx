import { useNavigate, useSearch } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { Page } from '#console/parts/page/page.tsx'
import { listAllProposals } from '#contract/maintenance/proposals.ts'
import { isProposalMoving, PROPOSAL_FILTERS } from './describe-proposal.ts'
import { ProposalCards } from './proposal-cards.tsx'
import { WhyNoProposals } from './why-no-proposals.tsx'

/** The change queue: what the maintenance agent proposed for all apps. */
export function ChangesPage() {
  const { status = 'ready' } = useSearch({ from: '/changes' })
  const navigate = useNavigate({ from: '/changes' })
  const input = status === 'any' ? {} : { status }
  const proposals = usePages(listAllProposals, input, { whileAny: isProposalMoving })
  return (
    <Page title="Changes">
      <div className="filters">
        <Choice
          label="State"
          isCompact
          value={status}
          options={PROPOSAL_FILTERS}
          onChange={(chosen) => void navigate({ search: chosen === 'ready' ? {} : { status: chosen } })}
        />
      </div>
      <ProposalCards of={proposals} empty={<NoChanges isQueue={status === 'ready'} />} />
    </Page>
  )
}

function NoChanges({ isQueue }: { isQueue: boolean }) {
  return (
    <Empty title={isQueue ? 'Nothing waits for a decision' : 'No change in this state'}>
      <p>
        The maintenance agent reads logs, checks and source of the apps it is on for. When it can fix a fault, its
        change waits here until an owner or admin approves it. It is switched on for each app under the app’s
        Maintenance tab.
      </p>
      <WhyNoProposals />
    </Empty>
  )
}
