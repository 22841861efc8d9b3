import { type Column, Table } from '#console/parts/table.tsx'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'

type Evidence = MaintenanceRun['evidence'][number]

const COLUMNS: readonly Column<Evidence>[] = [
  { head: 'What was read', cell: ({ kind }) => kind },
  { head: 'Which part', cell: ({ reference }) => <code className="cut">{reference}</code> },
  { head: 'Bytes', cell: ({ bytes }) => bytes.toLocaleString(), isNumber: true },
  { head: 'Digest', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}</code>, isWide: true },
]

/** Lists what the agent was given. Equal digests mean that the same would be given today. */
export function EvidenceTable({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p className="soft">The run read nothing.</p>
  return (
    <Table
      caption="Evidence of the run"
      columns={COLUMNS}
      rows={evidence}
      keyOf={({ kind, reference, sha256 }) => `${kind} ${reference} ${sha256}`}
    />
  )
}
