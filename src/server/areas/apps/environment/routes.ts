import { changeEnvironment, MAX_ENVIRONMENT_BYTES, MAX_VARIABLES, readEnvironment } from '#contract/apps/environment.ts'
import { type Fault, ServiceError } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import { toAnswer } from '#edge/route/stored.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { auditApp } from '../model/audit.ts'
import type { AppDeps } from '../model/deps.ts'
import { lockActiveApp, requireApp } from '../model/store.ts'
import { whyReserved } from './reserved.ts'
import { listVariables, measureVariables, removeVariables, saveVariables } from './store.ts'

export function environmentRoutes({ db, clock, sealer }: Pick<AppDeps, 'db' | 'clock' | 'sealer'>): Route[] {
  return [
    route(readEnvironment, async ({ alias }, { principal }) => {
      const app = await requireApp(db, principal.org_id, alias)
      return presentAll(db, app.id)
    }),
    route(changeEnvironment, async ({ alias, set, remove }, { principal }) => {
      refuseFaults(set, remove)
      return db.tx(async (tx) => {
        const app = await lockActiveApp(tx, principal.org_id, alias)
        const removed = await removeVariables(tx, app.id, remove)
        const by = principal.user_id ?? principal.id
        await saveVariables(tx, sealer, { appId: app.id, values: set, by, at: clock.now() })
        await refuseTooMuch(tx, app.id)
        const detail = { set: Object.keys(set), removed }
        const isChanged = detail.set.length + removed.length > 0
        const change = { action: 'app.environment_changed', app, detail, at: clock.now() }
        if (isChanged) await auditApp(tx, principal, change)
        return presentAll(tx, app.id)
      })
    }),
  ]
}

async function presentAll(db: Querier, appId: string) {
  const rows = await listVariables(db, appId)
  return { items: rows.map(toAnswer) }
}

function refuseFaults(set: Readonly<Record<string, string>>, remove: readonly string[]): void {
  const errors = Object.keys(set).flatMap((name): Fault[] => {
    const why = remove.includes(name) ? 'cannot be set and removed at once' : whyReserved(name)
    return why === undefined ? [] : [{ path: `set.${name}`, message: why }]
  })
  if (errors.length === 0) return
  const shown = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`)
  throw new ServiceError('INVALID_REQUEST', shown.join('; '), { errors })
}

/** Measured after the change, in its transaction: what is too much is rolled back. */
async function refuseTooMuch(tx: Tx, appId: string): Promise<void> {
  const { count, bytes } = await measureVariables(tx, appId)
  if (count > MAX_VARIABLES) {
    throw new ServiceError('APP_LIMIT', `An app can have ${MAX_VARIABLES} variables. Remove some you do not need.`)
  }
  if (bytes > MAX_ENVIRONMENT_BYTES) {
    const limit = `${MAX_ENVIRONMENT_BYTES / 1024} KB`
    throw new ServiceError(
      'APP_LIMIT',
      `All variables of an app together can have ${limit} sealed. Shorten or remove some.`,
    )
  }
}
