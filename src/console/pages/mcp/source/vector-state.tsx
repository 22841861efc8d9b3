import { Chip } from '#console/parts/list/chip.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import type { SourceVectors, VectorFinding } from '#contract/data-sources/vectors.ts'
import { asPercent, vectorText } from './vector-text.ts'

/** Findings of the nights in the vectors of each entry, with the SQL that lists the rows. */
export function VectorState({ vectors }: { vectors: readonly SourceVectors[] }) {
  return (
    <section>
      <h2>Vectors</h2>
      <ul className="plan">
        {vectors.map((entry) => (
          <li key={entry.label}>
            <strong>{entry.label}</strong> {vectorText(entry)}
            {entry.findings.map((finding) => (
              <Finding key={finding.kind} finding={finding} />
            ))}
            {entry.not_checked.map(({ kind, reason }) => (
              <p key={kind} className="soft">
                Not checked ({kind}): {reason}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Finding({ finding }: { finding: VectorFinding }) {
  const { kind, rows_seen, rows_looked_at, share, explanation, advice, sql } = finding
  return (
    <div className="stack">
      <p>
        <Chip tone="attention">{kind}</Chip> {rows_seen} of {rows_looked_at} rows, about {asPercent(share)} of the
        table. {explanation} {advice}
      </p>
      <Copy isBlock text={sql} />
    </div>
  )
}
