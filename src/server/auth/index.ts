import type { Route } from '#edge/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import { deriveKey, keyEpoch, masterKey } from '#lib/keys.ts'
import { adminCreateOrgRoute } from './admin-create-org.ts'
import { adminCreateTokenRoute } from './admin-create-token.ts'
import { createOrgRoute } from './create-org.ts'
import type { AuthKeys } from './deps.ts'
import { createValidate, type Validate, validateRoute } from './validate.ts'

export { chooseFirstAccount, type FirstAccount, makeFirstAccount } from './bootstrap.ts'

export type Auth = { readonly routes: readonly Route[]; readonly validate: Validate }

type Options = { db: Db; clock: Clock; jwtSecret: string; jwtSigningKey: string }

export function createAuth({ db, clock, jwtSecret, jwtSigningKey }: Options): Auth {
  const deps = { db, clock, keys: authKeys(jwtSecret, jwtSigningKey) }
  const validate = createValidate(deps)
  const routes = [validateRoute(validate), createOrgRoute(deps), adminCreateOrgRoute(deps), adminCreateTokenRoute(deps)]
  return { routes, validate }
}

export function authKeys(jwtSecret: string, jwtSigningKey: string): AuthKeys {
  const master = masterKey(jwtSecret, jwtSigningKey)
  return { epoch: keyEpoch(master), apiToken: deriveKey(master, 'api-token') }
}
