import { Chip } from '#console/parts/chip.tsx'
import type { DeployState } from '#contract/apps/deploys.ts'
import { showDeployState } from './deploy-state.ts'

export function DeployChip({ state }: { state: DeployState }) {
  const { word, tone } = showDeployState(state)
  return <Chip tone={tone}>{word}</Chip>
}
