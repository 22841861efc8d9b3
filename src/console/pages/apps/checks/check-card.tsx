import { Link } from '@tanstack/react-router'
import { Time } from '#console/parts/time.tsx'
import type { Check } from '#contract/checks/checks.ts'
import { CheckChip } from './check-chip.tsx'
import { CheckTimes } from './check-times.tsx'
import { describeCheck } from './check-words.ts'
import { type Cells, HistoryStrip } from './history-strip.tsx'

type Props = { alias: string; check: Check; cells: Cells | undefined }

export function CheckCard({ alias, check, cells }: Props) {
  return (
    <section className="card">
      <div className="row spread">
        <h2>
          <Link to="/apps/$alias/checks/$checkId" params={{ alias, checkId: check.id }}>
            {check.name}
          </Link>
        </h2>
        <CheckChip check={check} />
      </div>
      <p>{describeCheck(check.definition)}</p>
      {cells && <HistoryStrip cells={cells} />}
      <p className="soft">
        <CheckTimes schedule={check.schedule} />
        {check.last_run_at !== null && (
          <>
            {' · last run '}
            <Time at={check.last_run_at} />
          </>
        )}
        {check.next_run_at !== null && (
          <>
            {' · next '}
            <Time at={check.next_run_at} />
          </>
        )}
      </p>
    </section>
  )
}
