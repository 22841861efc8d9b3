import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Check, readCheck } from '#contract/checks/checks.ts'
import { AppDetail } from '../app-detail.tsx'
import { useApp } from '../use-app.ts'
import { CheckActs } from './check-acts.tsx'
import { CheckRuns } from './check-runs.tsx'
import { CheckSeries } from './check-series.tsx'
import { CheckTimes } from './check-times.tsx'
import { describeCheck, showCheckState } from './describe-check.ts'

/** One check with its runs. */
export function CheckPage() {
  const { alias, canBuild } = useApp()
  const { checkId = '' } = useParams({ strict: false })
  const check = useCall(readCheck, { alias, check: checkId }, { poll: 'scheduled' })
  return (
    <AppDetail
      title={check.data?.name ?? 'Check'}
      section="Checks"
      acts={canBuild && check.data && <CheckActs alias={alias} check={check.data} />}
    >
      <Loaded of={check}>
        {(data) => (
          <div className="stack">
            <CheckFacts check={data} />
            <CheckSeries alias={alias} check={data} />
            <CheckRuns alias={alias} checkId={data.id} />
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function CheckFacts({ check }: { check: Check }) {
  const nameOf = useNames([check.created_by])
  return (
    <Facts
      of={{
        State: (
          <span className="row">
            <StatusChip of={showCheckState(check)} />
            <span>
              since <Time at={check.state_since} />
            </span>
          </span>
        ),
        'Looks at': describeCheck(check.definition),
        Runs: (
          <>
            <CheckTimes schedule={check.schedule} />
            {check.next_run_at !== null && (
              <>
                , next <Time at={check.next_run_at} />
              </>
            )}
          </>
        ),
        Created: (
          <>
            <Time at={check.created_at} /> by {nameOf(check.created_by)}
          </>
        ),
        'Counts as failed': check.threshold === 1 ? 'at the first fail' : `after ${check.threshold} fails in a row`,
      }}
    />
  )
}
