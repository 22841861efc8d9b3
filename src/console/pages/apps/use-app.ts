import { useCall } from '#console/call/use-call.ts'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listApps } from '#contract/apps/apps.ts'
import { listAppPeople } from '#contract/apps/people.ts'
import { useAlias } from './use-alias.ts'

/**
 * Finds out what the person may do in the app of the page. The list is asked, because it leaves out apps in which the
 * person has no part, while reading such an app is refused.
 */
export function useApp() {
  const alias = useAlias()
  const { me } = useSession()
  const isAdmin = useHasRole('admin')
  const apps = useCall(listApps, { limit: 100 })
  const app = apps.data?.items.find((item) => item.alias === alias)
  const people = useCall(listAppPeople, { alias }, { enabled: app !== undefined && !isAdmin })
  const part = people.data?.items.find(({ user_id }) => user_id === me.user.id)?.part
  return {
    alias,
    /** Undefined while it is loading, and for members without a part in the app. */
    app,
    /** Undefined while it is not known yet. */
    isBuilder: apps.data && app !== undefined,
    /** Whether acts of builders are offered. */
    canBuild: app !== undefined && !me.read_only,
    /** Whether acts of the app's administrators are offered. */
    canAdminister: !me.read_only && (isAdmin || part === 'administrator'),
  }
}
