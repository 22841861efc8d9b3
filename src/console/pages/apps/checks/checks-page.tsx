import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { listChecks } from '#contract/checks/checks.ts'
import { showCheckHistory } from '#contract/checks/overview.ts'
import { AppPage } from '../app-page.tsx'
import { Commands } from '../commands.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { CheckCard } from './check-card.tsx'
import { CreateCheck } from './create-check.tsx'
import { HISTORY_DAYS } from './summarize-history.ts'

/** The checks of an app with their state. */
export function ChecksPage() {
  const alias = useAlias()
  const { canBuild } = useApp(alias)
  const checks = usePages(listChecks, { alias, limit: 50 })
  const history = useCall(showCheckHistory, { alias, days: HISTORY_DAYS })
  const cellsOf = (checkId: string) => history.data?.items.find(({ check_id }) => check_id === checkId)?.cells
  const [isCreating, setCreating] = useState(false)
  return (
    <AppPage
      section="Checks"
      acts={
        canBuild && (
          <button type="button" className="button main" onClick={() => setCreating(true)}>
            Create check
          </button>
        )
      }
    >
      <Loaded of={checks}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="Nothing watches this app yet">
              <p>A check asks the app or reads its log at set times, and tells people when the result changes.</p>
              <Commands lines={[`svc checks create ${alias} "Front page" --target / --every 5 --threshold 2`]} />
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
      {isCreating && <CreateCheck alias={alias} onClose={() => setCreating(false)} />}
    </AppPage>
  )
}
