import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { durationText } from '#console/parts/text/duration.ts'
import { Time } from '#console/parts/text/time.tsx'
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
      section="Deploys"
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
            <DeployFacts alias={alias} deploy={data} />
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function DeployFacts({ alias, deploy }: { alias: string; deploy: Deploy }) {
  const nameOf = useNames([deploy.requested_by])
  const seconds = deploySeconds(deploy)
  return (
    <Facts
      of={{
        Revision: <RevisionLink alias={alias} {...deploy} />,
        'Started by': deploy.requested_by === null ? 'svc' : nameOf(deploy.requested_by),
        Requested: <Time at={deploy.created_at} />,
        Took: seconds !== undefined && durationText(seconds),
        'Live since': deploy.live_at !== null && <Time at={deploy.live_at} />,
        Ended: deploy.ended_at !== null && <Time at={deploy.ended_at} />,
      }}
    />
  )
}
