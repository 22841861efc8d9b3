import { Time } from '#console/parts/time.tsx'
import type { App } from '#contract/apps/apps.ts'
import { RevisionLink } from '../revisions/revision-link.tsx'

/** The address, the live revision and the settings of the app. */
export function AppFacts({ app: { alias, url, live_deploy, settings } }: { app: App }) {
  return (
    <section className="card">
      <h2>App</h2>
      <dl>
        <dt>Address</dt>
        <dd>{url === null ? 'none' : <a href={url}>{url}</a>}</dd>
        <dt>Live revision</dt>
        <dd>
          {live_deploy === null ? (
            'nothing is deployed yet'
          ) : (
            <>
              <RevisionLink alias={alias} {...live_deploy} />
              {live_deploy.live_at !== null && (
                <>
                  {' since '}
                  <Time at={live_deploy.live_at} />
                </>
              )}
            </>
          )}
        </dd>
        <dt>Build</dt>
        <dd>{settings.build_command === null ? 'nothing is built' : <code>{settings.build_command}</code>}</dd>
        <dt>Start</dt>
        <dd>{settings.start_command === null ? 'runs elsewhere' : <code>{settings.start_command}</code>}</dd>
        <dt>Health path</dt>
        <dd>
          <code>{settings.health_path}</code>
        </dd>
      </dl>
    </section>
  )
}
