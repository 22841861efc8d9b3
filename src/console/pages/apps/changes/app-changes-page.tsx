import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { listProposals } from '#contract/maintenance/proposals.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { ProposalCard } from './proposal-card.tsx'
import { isProposalMoving } from './proposal-words.ts'

/** Every change that the maintenance agent proposed for one app. */
export function AppChangesPage() {
  const alias = useAlias()
  const proposals = usePages(listProposals, { alias }, { whileAny: isProposalMoving })
  return (
    <AppDetail
      title="Proposed changes"
      section={{ label: 'Maintenance', link: { to: '/apps/$alias/maintenance', params: { alias } } }}
    >
      <Loaded of={proposals}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No changes were proposed yet">
              <p>When the maintenance agent can fix a fault of this app, its change waits here for a decision.</p>
            </Empty>
          ) : (
            <div className="stack">
              {items.map((proposal) => (
                <ProposalCard key={proposal.id} proposal={proposal} />
              ))}
              <More of={proposals} />
            </div>
          )
        }
      </Loaded>
    </AppDetail>
  )
}
