import { useNavigate } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { deleteApp, listApps, readApp } from '#contract/apps/apps.ts'
import { AppPage } from '../app-page.tsx'
import { useApp } from '../use-app.ts'
import { AppCommands } from './app-commands.tsx'
import { Variables } from './variables.tsx'

/** How the app is built and started, its variables, and its end. */
export function SettingsPage() {
  const { alias, canAdminister, canBuild } = useApp()
  const app = useCall(readApp, { alias })
  return (
    <AppPage section="Settings">
      <Loaded of={app}>
        {(data) => (
          <div className="stack">
            <AppCommands key={data.id} app={data} canChange={canAdminister} />
            <Variables alias={alias} canChange={canBuild} />
            {canAdminister && <DeleteApp alias={alias} />}
          </div>
        )}
      </Loaded>
    </AppPage>
  )
}

function DeleteApp({ alias }: { alias: string }) {
  const navigate = useNavigate()
  return (
    <section className="card">
      <h2>Delete app</h2>
      <p>The app is stopped and deleted with its revisions, logs, checks and tickets.</p>
      <AskButton
        look="danger"
        title="Delete app"
        typed={alias}
        op={deleteApp}
        input={{ alias, confirm: alias }}
        changes={[listApps]}
        done={`${alias} is being deleted.`}
        after={() => void navigate({ to: '/apps' })}
      >
        <p>
          <strong>{alias}</strong> and everything that belongs to it are deleted. This cannot be undone. The alias can
          be used again afterwards.
        </p>
      </AskButton>
    </section>
  )
}
