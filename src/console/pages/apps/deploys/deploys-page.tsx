import { Link } from '@tanstack/react-router'
import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { More } from '#console/parts/list/more.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { durationText } from '#console/parts/text/duration.ts'
import { Time } from '#console/parts/text/time.tsx'
import { type Deploy, listDeploys } from '#contract/apps/deploys.ts'
import { AppPage } from '../app-page.tsx'
import { useApp } from '../use-app.ts'
import { DeployProgress } from './deploy-progress.tsx'
import { DEPLOY_FAILURES, DEPLOY_STATES, deploySeconds, isUnderWay } from './deploy-state.ts'
import { DeployTimeline } from './deploy-timeline.tsx'
import { isFormer } from './is-former.ts'
import { nameDeploy } from './name-deploy.ts'
import { RollBack } from './roll-back.tsx'

/** Every deploy of the app, the one under way first with its progress. */
export function DeploysPage() {
  const { alias, app, canBuild } = useApp()
  const deploys = usePages(listDeploys, { alias }, { isWatched: true })
  const nameOf = useNames(deploys.data?.map(({ requested_by }) => requested_by) ?? [])
  const canRollBackTo = (deploy: Deploy) => isFormer(deploy, app?.live_deploy)
  const columns: readonly Column<Deploy>[] = [
    {
      head: 'Deploy',
      cell: (deploy) => (
        <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: deploy.id }} title={deploy.id}>
          <span className="clamp">{nameDeploy(deploy)}</span>
        </Link>
      ),
    },
    { head: 'State', cell: (deploy) => <State deploy={deploy} /> },
    { head: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Took', cell: (deploy) => <Took deploy={deploy} />, isNumber: true, isWide: true },
    { head: 'By', cell: ({ requested_by }) => (requested_by === null ? 'svc' : nameOf(requested_by)), isWide: true },
    ...(canBuild && deploys.data?.some(canRollBackTo)
      ? [
          {
            head: 'Actions',
            cell: (deploy: Deploy) => canRollBackTo(deploy) && <RollBack alias={alias} deploy={deploy} />,
          },
        ]
      : []),
  ]
  const running = deploys.data?.find(isUnderWay)
  return (
    <AppPage section="Deploys">
      {running && <DeployProgress key={running.id} alias={alias} deploy={running} />}
      <Loaded of={deploys}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No deploys yet">
              <p>Each deploy of a revision is listed here with its log. Start one from the folder with the source:</p>
              <Copy isBlock text={`svc apps deploy ${alias} --dir . --follow`} />
            </Empty>
          ) : (
            <div className="stack">
              <DeployTimeline deploys={items} />
              <Table isStacked caption={`Deploys of ${alias}`} columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={deploys} />
            </div>
          )
        }
      </Loaded>
    </AppPage>
  )
}

function State({ deploy: { state, failure_code } }: { deploy: Deploy }) {
  return (
    <span className="row nowrap">
      <StatusChip of={DEPLOY_STATES[state]} />
      {failure_code !== null && <span className="soft wide">{DEPLOY_FAILURES[failure_code]}</span>}
    </span>
  )
}

function Took({ deploy }: { deploy: Deploy }) {
  const seconds = deploySeconds(deploy)
  return seconds === undefined ? <span className="soft">–</span> : durationText(seconds)
}
