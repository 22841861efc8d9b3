import { createApp, DEFAULT_APP_SETTINGS, MAX_APPS_PER_ORG } from '#contract/apps/apps.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { newId } from '#edge/ids.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { auditApp } from '../model/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { hostLabels } from '../model/host-label.ts'
import { type AppRow, countApps, findApp, insertApp, lockAlias, showApp } from '../model/store.ts'
import { savePart } from '../people/store.ts'
import { peopleUnknown } from '../people/unknown.ts'
import { withSettings } from './change.ts'
import { presentApp } from './present.ts'

export function createRoute(deps: AppDeps): Route {
  const { db, clock } = deps
  return route(createApp, async ({ alias, name = alias, settings }, { principal }) => {
    const { org_id, user_id } = principal
    const slug = await slugOf(deps, org_id)
    await db.tx(async (tx) => {
      await lockAlias(tx, org_id)
      await refuseTaken(tx, org_id, alias)
      if ((await countApps(tx, org_id)) >= MAX_APPS_PER_ORG) throw tooManyApps()
      const app = await insertWithLabel(tx, slug, {
        id: newId('app'),
        org_id,
        alias,
        name,
        ...withSettings(DEFAULT_APP_SETTINGS, settings),
        state: 'active',
        created_by: user_id ?? principal.id,
        created_at: clock.now(),
      })
      // Support staff are not members of the organization, so they get no part.
      if (user_id !== null) {
        const added = { added_by: user_id, added_at: clock.now() }
        await savePart(tx, { app_id: app.id, user_id, part: 'administrator', ...added })
      }
      await auditApp(tx, principal, { action: 'app.created', app, at: clock.now() })
    })
    return presentApp(await showApp(db, org_id, alias), deps)
  })
}

/**
 * An organization whose slug nobody can ever be asked for gets the characters of its id instead: with a hosted auth
 * service that is one without a token in SVC_AUTH_API_TOKEN.
 */
async function slugOf({ people }: AppDeps, orgId: string): Promise<string> {
  const answer = await people.organization(orgId)
  if (answer.isKnown) return answer.value.slug
  if (answer.isTemporary) throw peopleUnknown(answer)
  return orgId.replace(/^org_/, '')
}

async function refuseTaken(tx: Tx, orgId: string, alias: string): Promise<void> {
  const taken = await findApp(tx, orgId, { alias })
  if (!taken) return
  throw new ServiceError(
    'CONFLICT',
    taken.state === 'deleting'
      ? `The former app ${alias} is still being deleted. Try again in a few seconds.`
      : `An app with the alias ${alias} already exists. Choose another alias.`,
  )
}

async function insertWithLabel(tx: Tx, slug: string, app: Omit<AppRow, 'host_label'>): Promise<AppRow> {
  for (const host_label of hostLabels({ alias: app.alias, slug, orgId: app.org_id })) {
    if (await insertApp(tx, { ...app, host_label })) return { ...app, host_label }
  }
  throw new Error(`every host label of the app ${app.alias} is taken`)
}

function tooManyApps(): ServiceError {
  return new ServiceError('APP_LIMIT', `An organization can have ${MAX_APPS_PER_ORG} apps. Delete one you do not need.`)
}
