import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { listApps, readApp } from '#contract/apps/apps.ts'
import { type Deploy, listDeploys, rollBack } from '#contract/apps/deploys.ts'
import { nameRevision } from '#contract/apps/name-rollback.ts'

/** Deploys the revision of a former deploy again. */
export function RollBack({ alias, deploy }: { alias: string; deploy: Deploy }) {
  return (
    <AskButton
      label="Roll back"
      of={`to ${nameRevision(deploy)}`}
      look="small"
      title="Roll back app"
      op={rollBack}
      input={{ alias, revision_id: deploy.revision_id }}
      changes={[listDeploys, readApp, listApps]}
      done={`Rolling ${alias} back. The deploy is in the queue.`}
    >
      <p>
        <strong>{alias}</strong> is deployed again as it was with “{nameRevision(deploy)}” (
        <Time at={deploy.created_at} />
        ). What is live now answers until the earlier revision is healthy. Data of the app is not rolled back.
      </p>
    </AskButton>
  )
}
