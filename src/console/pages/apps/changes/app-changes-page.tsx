import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { listProposals } from '#contract/maintenance/proposals.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { isProposalMoving } from './describe-proposal.ts'
import { ProposalCards } from './proposal-cards.tsx'
import { WhyNoProposals } from './why-no-proposals.tsx'

/** Every change that the maintenance agent proposed for one app. */
export function AppChangesPage() {
  const alias = useAlias()
  const proposals = usePages(listProposals, { alias }, { whileAny: isProposalMoving })
  return (
    <AppDetail title="Proposed changes" section="Maintenance">
      <ProposalCards
        of={proposals}
        empty={
          <Empty title="No changes were proposed yet">
            <p>When the maintenance agent can fix a fault of this app, its change waits here for a decision.</p>
            <WhyNoProposals />
          </Empty>
        }
      />
    </AppDetail>
  )
}
