import type { Principal } from '#contract/core/principal.ts'
import { bearerOf, invalidToken, type ResolveCaller } from '#edge/credentials/caller.ts'
import type { Querier } from '#lib/db/db.ts'
import { findHeldRun } from './held.ts'
import { isRunToken, type RunTokens } from './token.ts'

type Deps = { readonly db: Querier; readonly tokens: RunTokens }

/** Recognises runs by their token. Whether the run still holds its app is read at every call and never remembered. */
export function resolveRuns({ db, tokens }: Deps): (others: ResolveCaller) => ResolveCaller {
  return (others) => async (request, info) => {
    const token = bearerOf(request)
    if (token === undefined || !isRunToken(token)) return others(request, info)
    const claim = tokens.read(token)
    const run = claim && (await findHeldRun(db, claim))
    if (!run) throw invalidToken()
    return toPrincipal(run, String(claim.fence))
  }
}

function toPrincipal({ id, org_id, app_id }: { id: string; org_id: string; app_id: string }, fence: string): Principal {
  return {
    kind: 'run',
    id: `${id}.${fence}`,
    user_id: null,
    org_id,
    role: null,
    scopes: [],
    deployment: app_id,
    execution: id,
    expires_at: null,
  }
}
