import { readCookie } from '#edge/credentials/cookies.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import { makeToken } from '../model/token-format.ts'
import type { SignInDeps } from './deps.ts'
import type { StartedAuthorization } from './providers/oidc.ts'
import type { Provider } from './providers/providers.ts'
import { SignInRefused } from './refusals.ts'
import { FLOW_RETURN, UNSEALED_RETURN } from './sealed-return.ts'
import { insertFlow, takeFlow } from './store.ts'

const FLOW_SECONDS = 600

type Deps = Pick<SignInDeps, 'db' | 'clock' | 'keys' | 'sealer' | 'cookies'>
type NewFlow = { provider: Provider; authorization: StartedAuthorization; returnTo: string; linkUserId: string | null }

/**
 * Saves what is checked when the user returns from the provider. Returns the cookie that ties the flow to this browser.
 */
export async function saveFlow(deps: Deps, request: Request, flow: NewFlow): Promise<string> {
  const { state, nonce, codeVerifier } = flow.authorization
  // All tabs of a browser share this value, so that a second sign-in does not break the first.
  const browser = browserOf(deps, request) ?? makeToken('code')
  const now = deps.clock.now()
  const stateHash = deps.keys.hash('state', state)
  await insertFlow(deps.db, {
    state_hash: stateHash,
    browser_hash: deps.keys.hash('browser', browser),
    provider: flow.provider.name,
    nonce,
    code_verifier: deps.sealer.seal(codeVerifier, SIGN_IN_VERIFIER.context({ state_hash: stateHash })),
    return_to: UNSEALED_RETURN,
    sealed_return_to: deps.sealer.seal(flow.returnTo, FLOW_RETURN.context({ state_hash: stateHash })),
    link_user_id: flow.linkUserId,
    expires_at: new Date(now.getTime() + FLOW_SECONDS * 1000),
    now,
  })
  return deps.cookies.set('flow', browser, FLOW_SECONDS)
}

/**
 * Takes a saved flow, which works once, in the same browser and for the same provider. Throws SignInRefused otherwise.
 */
export async function resumeFlow(deps: Deps, request: Request, provider: Provider, state: string | undefined) {
  const stateHash = deps.keys.hash('state', state ?? '')
  const row = state ? await takeFlow(deps.db, stateHash) : undefined
  const browser = browserOf(deps, request)
  const isTheirs = row && browser && deps.keys.hash('browser', browser).equals(row.browser_hash)
  if (!state || !row || !isTheirs || row.provider !== provider.name || row.expires_at <= deps.clock.now()) {
    throw new SignInRefused('stale')
  }
  const { nonce, return_to, sealed_return_to: sealed, link_user_id } = row
  const codeVerifier = deps.sealer.open(row.code_verifier, SIGN_IN_VERIFIER.context({ state_hash: stateHash }))
  // Null in a flow that the former release saved.
  const returnTo =
    sealed === null ? return_to : deps.sealer.open(sealed, FLOW_RETURN.context({ state_hash: stateHash }))
  return { secrets: { state, nonce, codeVerifier }, returnTo, linkUserId: link_user_id }
}

/** Returns the value of the cookie that ties a sign-in to this browser. */
export function browserOf({ cookies }: Pick<SignInDeps, 'cookies'>, request: Request): string | undefined {
  return readCookie(request, [cookies.flow])
}

export const SIGN_IN_VERIFIER: SealedColumn<{ state_hash: Buffer }> = {
  kind: 'verifiers of sign-ins under way',
  table: ['auth', 'sign_in_flows'],
  column: 'code_verifier',
  primaryKey: ['state_hash'],
  context: ({ state_hash }) => `sign-in-flow:${state_hash.toString('hex')}`,
}
