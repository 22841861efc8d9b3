import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { Skeleton } from '#console/parts/skeleton.tsx'
import { readDeploy } from '#contract/apps/deploys.ts'
import { DeployProgress } from '../deploys/deploy-progress.tsx'

/** The deploy that the approval queued, as it goes on. */
export function ChangeDeploy({ alias, deployId }: { alias: string; deployId: string }) {
  const deploy = useCall(readDeploy, { alias, deploy_id: deployId })
  return (
    <Loaded of={deploy} skeleton={<Skeleton rows={2} />}>
      {(data) => <DeployProgress alias={alias} deploy={data} />}
    </Loaded>
  )
}
