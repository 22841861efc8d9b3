import type { z } from 'zod'
import { PartBars } from '#console/charts/part-bars.tsx'
import type { readAgentPool } from '#contract/ai.ts'

type Props = { apps: z.output<typeof readAgentPool.output>['apps'] }

const PARTS = [
  { label: 'checks', tone: 'running' },
  { label: 'maintenance', tone: 'plain' },
] as const

/** Shows for which apps agents used most tokens, each with the share of its checks. */
export function SpentByApp({ apps }: Props) {
  return (
    <PartBars
      title="Which apps used the tokens?"
      axis="Tokens of the last 30 days by app, the one with most of them first: at most ten."
      isScaled
      rowHead="App"
      parts={PARTS}
      rows={apps.map(({ app, checks, maintenance }) => ({
        id: app?.alias ?? 'none',
        label: app?.name ?? 'Deleted ones',
        values: [checks, maintenance],
      }))}
    />
  )
}
