import { useCall } from '#console/call/use-call.ts'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Skeleton } from '#console/parts/skeleton.tsx'
import { useSession } from '#console/session/session.ts'
import { readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { AppSwitch } from './app-switch.tsx'

/** The switch of the app, where the organization has the agent. */
export function MaintenanceSwitch({ alias }: { alias: string }) {
  const { me } = useSession()
  const org = useCall(readOrgMaintenance, { org_id: me.org.id })
  return (
    <Loaded of={org} skeleton={<Skeleton rows={3} />}>
      {({ enabled }) =>
        enabled ? (
          <AppSwitch alias={alias} />
        ) : (
          <Empty title="The maintenance agent is off in this organization">
            <p>
              It reads logs, checks and source of an app at night and proposes changes, which people approve. An admin
              switches it on under <a href="/settings/organization/maintenance">Organization settings → Maintenance</a>.
            </p>
          </Empty>
        )
      }
    </Loaded>
  )
}
