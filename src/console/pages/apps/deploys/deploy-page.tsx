import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { durationText } from '#console/parts/duration.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { Time } from '#console/parts/time.tsx'
import { type Deploy, readDeploy } from '#contract/apps/deploys.ts'
import { AppDetail } from '../app-detail.tsx'
import { RevisionLink } from '../revisions/revision-link.tsx'
import { useAlias } from '../use-alias.ts'
import { DeployProgress } from './deploy-progress.tsx'
import { deploySeconds } from './deploy-state.ts'
import { nameDeploy } from './name-deploy.ts'

/** One deploy with its log. */
export function DeployPage() {
  const alias = useAlias()
  const { deployId = '' } = useParams({ strict: false })
  const deploy = useCall(readDeploy, { alias, deploy_id: deployId })
  return (
    <AppDetail
      title={deploy.data ? nameDeploy(deploy.data) : 'Deploy'}
      section={{ label: 'Deploys', link: { to: '/apps/$alias/deploys', params: { alias } } }}
      acts={
        <Link className="button" to="/apps/$alias/logs" params={{ alias }} search={{ deploy: deployId }}>
          Logs of this deploy
        </Link>
      }
    >
      <Loaded of={deploy}>
        {(data) => (
          <div className="stack">
            <DeployProgress alias={alias} deploy={data} />
            <Facts alias={alias} deploy={data} />
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function Facts({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const nameOf = useNames([deploy.requested_by])
  const seconds = deploySeconds(deploy)
  return (
    <dl>
      <dt>Revision</dt>
      <dd>
        <RevisionLink alias={alias} {...deploy} />
      </dd>
      <dt>Started by</dt>
      <dd>{deploy.requested_by === null ? 'svc' : nameOf(deploy.requested_by)}</dd>
      <dt>Requested</dt>
      <dd>
        <Time at={deploy.created_at} />
      </dd>
      {seconds !== undefined && (
        <>
          <dt>Took</dt>
          <dd>{durationText(seconds)}</dd>
        </>
      )}
      {deploy.live_at !== null && (
        <>
          <dt>Live since</dt>
          <dd>
            <Time at={deploy.live_at} />
          </dd>
        </>
      )}
      {deploy.ended_at !== null && (
        <>
          <dt>Ended</dt>
          <dd>
            <Time at={deploy.ended_at} />
          </dd>
        </>
      )}
    </dl>
  )
}
