import { diffRevisions, listRevisions } from '#contract/apps/revisions.ts'
import { callCommand, listCommand } from '../../../call/operation-command.ts'
import { fileDiffText } from '../file-diff-text.ts'

/** The last one is optional. */
type DiffArgs = [alias: string, revision: string, ...base: string[]]

export const list = listCommand(listRevisions, {
  label: 'Listing revisions',
  input: ([alias]) => ({ alias }),
  header: ['ID', 'WHEN', 'FILES', 'BYTES', 'BY', 'MESSAGE'],
  cut: ['MESSAGE', 'BY'],
  row: ({ id, created_at, file_count, total_bytes, created_by, message }, cli) => [
    id,
    cli.time(created_at),
    String(file_count),
    String(total_bytes),
    created_by ?? 'maintenance agent',
    message ?? '-',
  ],
  none: ([alias], _, { config }) =>
    `${alias} has no revisions yet. Create one with: ${config.program} apps deploy ${alias} --dir .`,
})

export const diff = callCommand(diffRevisions, {
  input: ([alias, revision_id, base]: DiffArgs) => ({ alias, revision_id, ...(base !== undefined && { base }) }),
  label: () => 'Comparing revisions',
  text: ({ files }) => files.map(fileDiffText),
  notes: ({ files, truncated }) => [
    ...(files.length === 0 ? ['The revisions have the same files.'] : []),
    ...(truncated ? ['Some patches were left out, because the answer would be too large.'] : []),
  ],
})
