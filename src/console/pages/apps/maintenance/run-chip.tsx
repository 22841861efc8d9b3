import { Chip } from '#console/parts/list/chip.tsx'
import type { MaintenanceRun, RunStatus } from '#contract/maintenance/runs.ts'
import { OutcomeChip } from './outcome-chip.tsx'

const UNDER_WAY: Record<Exclude<RunStatus, 'ended'>, string> = {
  queued: 'Queued',
  running: 'Running',
  validating: 'Checking the change',
}

export function RunChip({ run: { status, outcome } }: { run: Pick<MaintenanceRun, 'status' | 'outcome'> }) {
  if (status !== 'ended') return <Chip tone="running">{UNDER_WAY[status]}</Chip>
  return <OutcomeChip outcome={outcome ?? ''} />
}
