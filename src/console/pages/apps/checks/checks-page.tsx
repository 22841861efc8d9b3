import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Opener } from '#console/parts/form/opener.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { More } from '#console/parts/list/more.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Check, listChecks } from '#contract/checks/checks.ts'
import { showCheckHistory } from '#contract/checks/overview.ts'
import { AppPage } from '../app-page.tsx'
import { useApp } from '../use-app.ts'
import { CheckTimes } from './check-times.tsx'
import { CreateCheck } from './create-check.tsx'
import { describeCheck, showCheckState } from './describe-check.ts'
import { type Cells, HistoryStrip } from './history-strip.tsx'
import { HISTORY_DAYS } from './summarize-history.ts'

export function ChecksPage() {
  const { alias, canBuild } = useApp()
  const checks = usePages(listChecks, { alias, limit: 50 })
  const history = useCall(showCheckHistory, { alias, days: HISTORY_DAYS })
  const cellsOf = (checkId: string) => history.data?.items.find(({ check_id }) => check_id === checkId)?.cells
  return (
    <AppPage
      section="Checks"
      acts={canBuild && <Opener label="Create check" look="main" dialog={<CreateCheck alias={alias} />} />}
    >
      <Loaded of={checks}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="Nothing watches this app yet">
              <p>A check asks the app or reads its log at set times, and tells people when the result changes.</p>
              <Copy isBlock text={`svc checks create ${alias} "Front page" --target / --every 5 --threshold 2`} />
            </Empty>
          ) : (
            <div className="stack">
              {items.map((check) => (
                <CheckCard key={check.id} alias={alias} check={check} cells={cellsOf(check.id)} />
              ))}
              <More of={checks} />
            </div>
          )
        }
      </Loaded>
    </AppPage>
  )
}

type Props = { alias: string; check: Check; cells: Cells | undefined }

function CheckCard({ alias, check, cells }: Props) {
  return (
    <section className="card check-card">
      <div className="row spread">
        <h2>
          <Link to="/apps/$alias/checks/$checkId" params={{ alias, checkId: check.id }}>
            {check.name}
          </Link>
        </h2>
        <StatusChip of={showCheckState(check)} />
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
