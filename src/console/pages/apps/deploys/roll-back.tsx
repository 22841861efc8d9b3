import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Time } from '#console/parts/time.tsx'
import { readApp } from '#contract/apps/apps.ts'
import { type Deploy, listDeploys, rollBack } from '#contract/apps/deploys.ts'
import { nameDeploy } from './name-deploy.ts'

/** Deploys the revision of a former deploy again. */
export function RollBack({ alias, deploy, onClose }: { alias: string; deploy: Deploy; onClose: () => void }) {
  const act = useAct(rollBack, {
    changes: [listDeploys, readApp],
    done: () => `Rolling ${alias} back. The deploy is in the queue.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Roll back app"
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => act.run({ alias, revision_id: deploy.revision_id })}
      onClose={onClose}
    >
      <p>
        <strong>{alias}</strong> is deployed again as it was with “{nameDeploy(deploy)}” (
        <Time at={deploy.created_at} />
        ). What is live now answers until the earlier revision is healthy. Data of the app is not rolled back.
      </p>
    </Confirm>
  )
}
