import { StatusChip } from '#console/parts/list/chip.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Time } from '#console/parts/text/time.tsx'
import type { App } from '#contract/apps/apps.ts'
import { describeApp } from '../deploys/deploy-state.ts'
import { RevisionLink } from '../revisions/revision-link.tsx'

/** The address, the live revision and the settings of the app. */
export function AppFacts({ app }: { app: App }) {
  const { alias, url, live_deploy, settings } = app
  return (
    <section className="card">
      <h2>App</h2>
      <Facts
        of={{
          State: (
            <span className="row">
              {describeApp(app).map((status) => (
                <StatusChip key={status.word} of={status} />
              ))}
            </span>
          ),
          Address: url === null ? 'none' : <a href={url}>{url}</a>,
          'Live revision':
            live_deploy === null ? 'nothing is deployed yet' : <Live alias={alias} deploy={live_deploy} />,
          Build: settings.build_command === null ? 'nothing is built' : <code>{settings.build_command}</code>,
          Start: settings.start_command === null ? 'runs elsewhere' : <code>{settings.start_command}</code>,
          'Health path': <code>{settings.health_path}</code>,
        }}
      />
    </section>
  )
}

function Live({ alias, deploy }: { alias: string; deploy: NonNullable<App['live_deploy']> }) {
  return (
    <>
      <RevisionLink alias={alias} {...deploy} />
      {deploy.live_at !== null && (
        <>
          {' since '}
          <Time at={deploy.live_at} />
        </>
      )}
    </>
  )
}
