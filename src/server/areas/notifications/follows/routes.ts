import { notFound, ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { type Follow, listFollows, setFollow } from '#contract/notifications/follows.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import type { AppName } from '#ports/apps.ts'
import { ensureFollowLink } from '../follow-links/store.ts'
import { inboxOwner } from '../inbox/entry.ts'
import type { NotificationDeps } from '../model/deps.ts'
import { maySeeApp } from '../people/may-see-app.ts'
import { presentFollow } from './present.ts'
import { readFollowsOf, removeFollow, saveFollow } from './store.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'people' | 'apps'>

export function followRoutes(deps: Deps): Route[] {
  const { db, sealer, clock, apps } = deps
  return [
    route(listFollows, async (_, { principal }) => {
      const rows = await readFollowsOf(db, inboxOwner(principal))
      const appIds = rows.map(({ app_id }) => app_id)
      const names = await apps.names(principal.org_id, appIds)
      return { items: rows.map((row) => presentFollow(row, names.get(row.app_id))) }
    }),
    route(setFollow, async ({ app: aliasOrId, categories, frequency, via }, { principal }) => {
      const app = await apps.find(principal.org_id, aliasOrId)
      if (categories.length === 0) return unfollow(deps, principal, { aliasOrId, app, frequency, via })
      if (!app) throw notFound('app')
      await refuseUnlessPart(deps, principal, app.id)
      const owner = inboxOwner(principal)
      await db.tx(async (tx) => {
        if (via === 'mail') await ensureFollowLink(tx, sealer, { ...owner, app_id: app.id })
        await saveFollow(tx, owner, { app_id: app.id, categories, timing: frequency, via }, clock.now())
      })
      const [row] = await readFollowsOf(db, owner, app.id)
      return presentFollow(row ?? { app_id: app.id, categories: [], timing: frequency, via, last: null }, app)
    }),
  ]
}

type Unfollowed = Pick<Follow, 'frequency' | 'via'> & { aliasOrId: string; app: AppName | undefined }

/** Always possible, also for an app that does not exist any more or in which the person has lost their part. */
async function unfollow(
  deps: Deps,
  principal: Member,
  { aliasOrId, app, frequency, via }: Unfollowed,
): Promise<Follow> {
  const app_id = app?.id ?? aliasOrId
  const wasFollowing = await removeFollow(deps.db, inboxOwner(principal), app_id)
  if (!wasFollowing) {
    if (!app) throw notFound('app')
    await refuseUnlessPart(deps, principal, app.id)
  }
  return presentFollow({ app_id, categories: [], timing: frequency, via, last: null }, app)
}

async function refuseUnlessPart({ people }: Deps, principal: Member, appId: string): Promise<void> {
  const { org_id: orgId, user_id: userId } = inboxOwner(principal)
  const answer = await maySeeApp(people, { orgId, appId, userId })
  if (!answer.isKnown) {
    throw new ServiceError('UNAVAILABLE', 'Your part in the app cannot be checked at the moment. Try again later.')
  }
  if (answer.value) return
  // Members below developers do not see apps in which they have no part.
  if (!roleAtLeast(principal.role, 'developer')) throw notFound('app')
  const detail =
    'You can follow apps that you build, maintain or administer. Ask an administrator of the app for a part.'
  throw new ServiceError('FORBIDDEN', detail)
}
