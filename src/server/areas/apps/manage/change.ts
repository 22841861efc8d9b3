import { type AppSettings, changeApp } from '#contract/apps/apps.ts'
import { type Route, route } from '#edge/route/route.ts'
import { auditApp } from '../model/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { lockActiveApp, showApp, updateApp } from '../model/store.ts'
import { presentApp } from './present.ts'

export function changeRoute(deps: AppDeps): Route {
  const { db, clock } = deps
  return route(changeApp, async ({ alias, name, settings }, { principal }) => {
    const { org_id } = principal
    await db.tx(async (tx) => {
      const app = await lockActiveApp(tx, org_id, alias)
      const changed = { id: app.id, name: name ?? app.name, ...withSettings(app, settings) }
      await updateApp(tx, changed)
      const { id: _, ...detail } = changed
      await auditApp(tx, principal, { action: 'app.changed', app, detail, at: clock.now() })
    })
    return presentApp(await showApp(db, org_id, alias), deps)
  })
}

type SettingsChange = { [Key in keyof AppSettings]?: AppSettings[Key] | undefined }

/** Returns the settings with what is given; null is given, undefined is not. */
export function withSettings(former: AppSettings, given: SettingsChange): AppSettings {
  return {
    build_command: given.build_command === undefined ? former.build_command : given.build_command,
    start_command: given.start_command === undefined ? former.start_command : given.start_command,
    health_path: given.health_path ?? former.health_path,
  }
}
