import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type App, readApp } from '#contract/apps/apps.ts'
import { listDeploys } from '#contract/apps/deploys.ts'
import { listFindings } from '#contract/maintenance/findings.ts'
import { listProposals } from '#contract/maintenance/proposals.ts'
import { AppPage } from '../app-page.tsx'
import { DEPLOY_FAILURES, DEPLOY_STATES, stillServes } from '../deploys/deploy-state.ts'
import { isFormer } from '../deploys/is-former.ts'
import { RollBack } from '../deploys/roll-back.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { AppFacts } from './app-facts.tsx'
import { AppSeries } from './app-series.tsx'
import { LatestChecks } from './latest-checks.tsx'

/** Shows the app's address, settings and live revision, and the states of its checks and latest deploy. */
export function OverviewPage() {
  const alias = useAlias()
  const app = useCall(readApp, { alias }, { poll: 'watched' })
  return (
    <AppPage section="Overview">
      <Loaded of={app}>
        {(data) => (
          <div className="stack">
            {data.latest_deploy === null && <FirstDeploy app={data} />}
            <WaitingChange alias={alias} />
            <OpenFinding alias={alias} />
            <AppSeries app={data} />
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

/** The next step for an app without a deploy. */
function FirstDeploy({ app: { alias, settings } }: { app: App }) {
  const start = settings.start_command === null ? [`svc apps change ${alias} --start "node server.js"`] : []
  return (
    <Empty title="Nothing is deployed yet">
      <p>Deploy the folder with its source. svc builds it, starts it and waits until it is healthy.</p>
      <Copy isBlock text={[...start, `svc apps deploy ${alias} --dir . --follow`].join('\n')} />
    </Empty>
  )
}

/** Links to the change that waits for a decision. Nothing is shown if none does, or if it is not known. */
function WaitingChange({ alias }: { alias: string }) {
  const proposals = useCall(listProposals, { alias, limit: 5 }, { poll: 'background' })
  const waiting = proposals.data?.items.find(({ status }) => status === 'ready')
  if (!waiting) return null
  return (
    <p className="banner">
      A change waits for a decision:{' '}
      <Link to="/apps/$alias/changes/$proposalId" params={{ alias, proposalId: waiting.id }}>
        {waiting.summary}
      </Link>
    </p>
  )
}

/** Links to what the maintenance agent found last. Nothing is shown if nothing is open, or to those who may not read it. */
function OpenFinding({ alias }: { alias: string }) {
  const findings = useCall(listFindings, { alias }, { poll: 'background' })
  const open = findings.data?.items.filter(({ state }) => state === 'open') ?? []
  if (open.length === 0) return null
  const more = open.length === 1 ? '' : `, and ${open.length - 1} more`
  return (
    <p className="banner">
      The maintenance agent found:{' '}
      <Link to="/apps/$alias/maintenance" params={{ alias }}>
        {open.length === 1 ? open[0]!.summary : open[0]!.summary.replace(/\.$/, '')}
      </Link>
      {more}
    </p>
  )
}

/** Offers the revision that was live before, if there is one among the newest deploys. */
function RollBackToFormer({ alias, live }: { alias: string; live: NonNullable<App['live_deploy']> }) {
  const { canBuild } = useApp()
  const deploys = useCall(listDeploys, { alias, limit: 20 }, { enabled: canBuild })
  const former = deploys.data?.items.find((deploy) => isFormer(deploy, live))
  return former ? <RollBack alias={alias} deploy={former} /> : null
}

function LatestDeploy({ app: { alias, live_deploy, latest_deploy } }: { app: App }) {
  return (
    <section className="card">
      <h2>Latest deploy</h2>
      {latest_deploy === null ? (
        <p className="soft">None yet.</p>
      ) : (
        <>
          <p className="row">
            <StatusChip of={DEPLOY_STATES[latest_deploy.state]} />
            <Time at={latest_deploy.created_at} />
          </p>
          {latest_deploy.failure_code !== null && (
            <p>
              {DEPLOY_FAILURES[latest_deploy.failure_code]}. {stillServes(live_deploy)}
            </p>
          )}
          <p className="row">
            <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: latest_deploy.id }}>
              Show deploy
            </Link>
            {live_deploy && <RollBackToFormer alias={alias} live={live_deploy} />}
          </p>
        </>
      )}
    </section>
  )
}
