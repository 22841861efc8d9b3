import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { Time } from '#console/parts/time.tsx'
import { type Check, readCheck } from '#contract/checks/checks.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { CheckActs } from './check-acts.tsx'
import { CheckChip } from './check-chip.tsx'
import { CheckRuns } from './check-runs.tsx'
import { CheckTimes } from './check-times.tsx'
import { describeCheck } from './check-words.ts'

/** One check with its runs. */
export function CheckPage() {
  const alias = useAlias()
  const { checkId = '' } = useParams({ strict: false })
  const { canBuild } = useApp(alias)
  const check = useCall(readCheck, { alias, check: checkId }, { everyMs: 10_000 })
  return (
    <AppDetail
      title={check.data?.name ?? 'Check'}
      section={{ label: 'Checks', link: { to: '/apps/$alias/checks', params: { alias } } }}
      acts={canBuild && check.data && <CheckActs alias={alias} check={check.data} />}
    >
      <Loaded of={check}>
        {(data) => (
          <div className="stack">
            <Facts check={data} />
            <CheckRuns alias={alias} checkId={data.id} />
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function Facts({ check }: { check: Check }) {
  const nameOf = useNames([check.created_by])
  return (
    <dl>
      <dt>State</dt>
      <dd className="row">
        <CheckChip check={check} /> since <Time at={check.state_since} />
      </dd>
      <dt>Looks at</dt>
      <dd>{describeCheck(check.definition)}</dd>
      <dt>Runs</dt>
      <dd>
        <CheckTimes schedule={check.schedule} />
        {check.next_run_at !== null && (
          <>
            , next <Time at={check.next_run_at} />
          </>
        )}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={check.created_at} /> by {nameOf(check.created_by)}
      </dd>
      <dt>Counts as failed</dt>
      <dd>{check.threshold === 1 ? 'at the first fail' : `after ${check.threshold} fails in a row`}</dd>
    </dl>
  )
}
