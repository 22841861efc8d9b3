import type { z } from 'zod'
import { Chip } from '#console/parts/list/chip.tsx'
import { LoadFailed } from '#console/parts/page/load-failed.tsx'
import { Skeleton } from '#console/parts/page/skeleton.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import type { checkSearch } from '#contract/data-sources/check-search.ts'

type Checked = z.infer<typeof checkSearch.output>
type Props = {
  check: { readonly data: Checked | undefined; readonly error: unknown; readonly refetch: () => unknown }
  /** False while the choices changed and were not checked yet. */
  isCurrent: boolean
  /** Entries that were saved before. */
  others: number
  /** Path of the entry of this page in the document. */
  place: string
}

/** The result of the check against the database, which is made again after each change. */
export function CheckPanel({ check, isCurrent, others, place }: Props) {
  return (
    <section className="card" aria-label="Check">
      <header className="row spread">
        <h2>Check</h2>
        <div role="status">
          <Verdict check={check} isCurrent={isCurrent} />
        </div>
      </header>
      {check.data ? (
        <Findings of={check.data} place={place} />
      ) : check.error ? (
        <LoadFailed error={check.error} onRetry={() => void check.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      {others > 0 && (
        <p className="soft">
          The source has a saved configuration. The document keeps its entries of other tables, and replaces that of
          this table.
        </p>
      )}
    </section>
  )
}

function Verdict({ check: { data, error }, isCurrent }: Pick<Props, 'check' | 'isCurrent'>) {
  if (error && !data) return <Chip tone="unknown">Not checked</Chip>
  if (!data || !isCurrent) return <Chip tone="running">Checking</Chip>
  const { length } = data.faults
  if (length > 0) return <Chip tone="failure">{length === 1 ? '1 fault' : `${length} faults`}</Chip>
  return <Chip tone="success">Fits the database</Chip>
}

function Findings({ of: { faults, warnings, plan, model_checks }, place }: { of: Checked; place: string }) {
  return (
    <div className="stack">
      {faults.length > 0 && (
        <ul className="findings">
          {faults.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path.startsWith(`${place}.`) ? path.slice(place.length + 1) : path}</code>{' '}
              <span className="fault">{message}</span>
            </li>
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <ul className="findings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>
              <Chip tone="attention">Warning</Chip> {warning}
            </li>
          ))}
        </ul>
      )}
      {model_checks.map(({ label, outcome, detail }) => (
        <p key={label} className="soft">
          {label}: {OUTCOMES[outcome]} {detail}
        </p>
      ))}
      {plan.map(({ label, method, index, index_statement }) => (
        <div key={label}>
          {index !== null && (
            <p className="soft">
              {label}: searched by the index <code>{index}</code> ({method}).
            </p>
          )}
          {index_statement !== null && (
            <>
              <p className="soft">{label}: this index makes questions to a large table fast.</p>
              <Copy isBlock text={index_statement} />
            </>
          )}
        </div>
      ))}
    </div>
  )
}

const OUTCOMES: Readonly<Record<Checked['model_checks'][number]['outcome'], string>> = {
  alike: 'the stored vectors look like those of the model.',
  different: 'the stored vectors do not look like those of the model.',
  not_compared: 'the stored vectors were not compared with the model.',
}
