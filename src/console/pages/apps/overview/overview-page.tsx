import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { readApp } from '#contract/apps/apps.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { AppFacts } from './app-facts.tsx'
import { FirstDeploy } from './first-deploy.tsx'
import { LatestChecks } from './latest-checks.tsx'
import { LatestDeploy } from './latest-deploy.tsx'
import { WaitingChange } from './waiting-change.tsx'

/** Shows the app's address, settings and live revision, and the states of its checks and latest deploy. */
export function OverviewPage() {
  const alias = useAlias()
  const app = useCall(readApp, { alias }, { everyMs: 5_000 })
  return (
    <AppPage section="Overview">
      <Loaded of={app}>
        {(data) => (
          <div className="stack">
            {data.latest_deploy === null && <FirstDeploy app={data} />}
            <WaitingChange alias={alias} />
            <div className="cards of-app">
              <AppFacts app={data} />
              <LatestDeploy app={data} />
              <LatestChecks alias={alias} />
            </div>
          </div>
        )}
      </Loaded>
    </AppPage>
  )
}
