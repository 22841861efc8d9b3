import { Link } from '@tanstack/react-router'
import { Time } from '#console/parts/time.tsx'
import type { App } from '#contract/apps/apps.ts'
import { DeployChip } from '../deploys/deploy-chip.tsx'
import { explainFailure } from '../deploys/deploy-state.ts'

export function LatestDeploy({ app: { alias, latest_deploy } }: { app: App }) {
  return (
    <section className="card">
      <h2>Latest deploy</h2>
      {latest_deploy === null ? (
        <p className="soft">None yet.</p>
      ) : (
        <>
          <p className="row">
            <DeployChip state={latest_deploy.state} />
            <Time at={latest_deploy.created_at} />
          </p>
          {latest_deploy.failure_code !== null && (
            <p>{explainFailure(latest_deploy.failure_code)}. The revision that was live before still answers.</p>
          )}
          <p>
            <Link to="/apps/$alias/deploys/$deployId" params={{ alias, deployId: latest_deploy.id }}>
              Show deploy
            </Link>
          </p>
        </>
      )}
    </section>
  )
}
