import { Chip } from '#console/parts/list/chip.tsx'
import type { Source } from './source.ts'

/** Shows whether agents and people can ask the source. */
export function ExposureChip({ source }: { source: Source }) {
  if (!source.isEnabled) return <Chip tone="plain">Switched off</Chip>
  if (!source.isExposed) return <Chip tone="plain">Not exposed</Chip>
  return <Chip tone="success">Exposed</Chip>
}

/** Shows whether a search configuration is saved. Whether it is a good one, only its page knows. */
export function ConfigurationChip({ source: { labels } }: { source: Source }) {
  if (!labels) return null
  if (labels.length === 0) return <Chip tone="attention">Not configured</Chip>
  return <Chip tone="plain">{labels.length === 1 ? 'Configured' : `Configured, ${labels.length} entries`}</Chip>
}
