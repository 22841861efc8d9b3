import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import {
  denyProposal,
  listAllProposals,
  listProposals,
  type Proposal,
  readProposal,
} from '#contract/maintenance/proposals.ts'

export function DenyChange({ proposal: { app, id }, onClose }: { proposal: Proposal; onClose: () => void }) {
  const act = useAct(denyProposal, {
    changes: [readProposal, listAllProposals, listProposals],
    done: () => `Denied. ${app.name} stays as it is.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Deny change"
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias: app.alias, proposal_id: id })}
      onClose={onClose}
    >
      <p>
        <strong>{app.name}</strong> stays as it is. The same fault is not proposed again while its file is the same.
        This cannot be undone.
      </p>
    </Confirm>
  )
}
