import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { listProposals } from '#contract/maintenance/proposals.ts'

/** Links to the change that waits for a decision. Nothing is shown if none does, or if it is not known. */
export function WaitingChange({ alias }: { alias: string }) {
  const proposals = useCall(listProposals, { alias, limit: 5 }, { everyMs: 30_000 })
  const waiting = proposals.data?.items.find(({ status }) => status === 'ready')
  if (!waiting) return null
  return (
    <p className="banner">
      A change waits for a decision:{' '}
      <Link to="/apps/$alias/changes/$proposalId" params={{ alias, proposalId: waiting.id }}>
        {waiting.summary}
      </Link>
    </p>
  )
}
