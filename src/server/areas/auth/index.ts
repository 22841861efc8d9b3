import { createFailureLimiter } from '#edge/limits/rate-limit.ts'
import type { Route } from '#edge/route/route.ts'
import type { Db } from '#lib/db/db.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { Metrics } from '#lib/metrics/metrics.ts'
import type { Clock } from '#lib/time/clock.ts'
import type { SystemMails } from '#ports/system-mail.ts'
import { auditRoutes } from './audit-trail.ts'
import { deletionRoutes } from './leaving/routes.ts'
import { meRoutes } from './me.ts'
import { invitationRoutes } from './members/invitations.ts'
import { memberRoutes } from './members/members.ts'
import { type AuthKeys, authKeys } from './model/deps.ts'
import { agentRoutes, createAssertionValidator, type OAuthDeps, type OAuthOptions, oauthRoutes } from './oauth/index.ts'
import { domainRoutes } from './orgs/domains.ts'
import { orgRoutes } from './orgs/routes.ts'
import { type SignInOptions, signInRoutes } from './sign-in/index.ts'
import { supportRoutes } from './support/support.ts'
import { tokenRoutes } from './tokens/tokens.ts'
import { createValidate, type Validate, validateRoute } from './validate.ts'
import { createHostedValidator, type HostedWorkloadOptions } from './workload/hosted.ts'
import { createWorkloadValidator, type WorkloadOptions } from './workload/validate.ts'

export { chooseFirstAccount, type FirstAccount, makeFirstAccount } from './bootstrap.ts'
export { deletionLoop } from './leaving/loop.ts'
export { authKeys } from './model/deps.ts'
export { type OAuthOptions, warmOAuth } from './oauth/index.ts'
export { createPeopleDirectory } from './people/directory.ts'
export { SIGN_IN_VERIFIER } from './sign-in/flow.ts'
export type { SignInOptions } from './sign-in/index.ts'
export { type LocalCode, openLocalCode } from './sign-in/local/local-code.ts'
export { openMailFiles } from './sign-in/mailed-link/mail-files.ts'
export { FLOW_RETURN, LINK_RETURN } from './sign-in/sealed-return.ts'

/** The auth area: accounts, organizations, tokens, sign-in and OAuth for agents. */
type Auth = { readonly routes: readonly Route[]; readonly validate: Validate }

type Options = {
  db: Db
  clock: Clock
  kv: KeyValueStore
  log: Log
  metrics: Metrics
  jwtSecret: string
  jwtSigningKey: string
  onRevoked: () => void
  mails: SystemMails
  publicUrls: { readonly signIn: string }
  /** Set where workloads of a cluster are accepted. */
  workload?: WorkloadOptions
  /** Set where apps that svc runs as processes are accepted. */
  hostedWorkload?: HostedWorkloadOptions
  signIn?: SignInOptions
  /** Absent where agents cannot connect. */
  oauth?: OAuthOptions
}

/** How many refused tokens one address may send to be validated. */
const VALIDATE_FAILURES = { name: 'validate-failures', limit: 60, windowSeconds: 60 }

/** Creates the routes of the auth area and the function that resolves a token to its principal. */
export function createAuth(options: Options): Auth {
  const { jwtSecret, jwtSigningKey, kv, workload, hostedWorkload, signIn, oauth, ...rest } = options
  const keys: AuthKeys = authKeys(jwtSecret, jwtSigningKey)
  const deps = { ...rest, keys }
  const countFailure = createFailureLimiter(VALIDATE_FAILURES, { ...rest, kv })
  const connector: OAuthDeps | undefined = oauth && { ...deps, ...oauth, kv }
  const assertion = connector && createAssertionValidator(connector)
  const validateWorkload = workload && createWorkloadValidator(deps, workload)
  const validate = createValidate({
    ...deps,
    workload: validateWorkload,
    hostedWorkload: hostedWorkload && createHostedValidator(deps, hostedWorkload),
    assertion,
    countFailure,
  })
  const routes = [
    validateRoute(validate),
    ...orgRoutes(deps),
    ...deletionRoutes(deps),
    ...meRoutes(deps),
    ...tokenRoutes(deps),
    ...memberRoutes(deps),
    ...invitationRoutes(deps),
    ...domainRoutes(deps),
    ...auditRoutes(deps),
    ...supportRoutes(deps),
    ...agentRoutes(deps),
    ...(connector ? oauthRoutes(connector) : []),
    ...(signIn ? signInRoutes({ ...deps, kv }, signIn) : []),
  ]
  return { routes, validate }
}
