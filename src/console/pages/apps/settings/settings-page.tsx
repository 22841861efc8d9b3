import { useCall } from '#console/call/use-call.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { readApp } from '#contract/apps/apps.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { AppCommands } from './app-commands.tsx'
import { DeleteApp } from './delete-app.tsx'
import { Variables } from './variables.tsx'

/** How the app is built and started, its variables, and its end. */
export function SettingsPage() {
  const alias = useAlias()
  const { canAdminister, canBuild } = useApp(alias)
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
