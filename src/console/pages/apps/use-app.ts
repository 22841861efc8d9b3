import { useCall } from '#console/call/use-call.ts'
import { useHasRole, useSession } from '#console/session/session.ts'
import { type App, listApps } from '#contract/apps/apps.ts'
import { listAppPeople } from '#contract/apps/people.ts'

type AppAccess = {
  /** Undefined while it is loading, and for members without a part in the app. */
  readonly app: App | undefined
  /** Undefined while it is not known yet. */
  readonly isBuilder: boolean | undefined
  /** Whether acts of builders are offered. */
  readonly canBuild: boolean
  /** Whether acts of the app's administrators are offered. */
  readonly canAdminister: boolean
}

/**
 * Finds out what the person may do in the app. The list is asked, because it leaves out apps in which the person has no
 * part, while reading such an app is refused.
 */
export function useApp(alias: string): AppAccess {
  const { me } = useSession()
  const isAdmin = useHasRole('admin')
  const apps = useCall(listApps, { limit: 100 })
  const app = apps.data?.items.find((item) => item.alias === alias)
  const people = useCall(listAppPeople, { alias }, { enabled: app !== undefined && !isAdmin })
  const part = people.data?.items.find(({ user_id }) => user_id === me.user.id)?.part
  return {
    app,
    isBuilder: apps.data && app !== undefined,
    canBuild: app !== undefined && !me.read_only,
    canAdminister: !me.read_only && (isAdmin || part === 'administrator'),
  }
}
