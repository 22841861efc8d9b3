import { OperatorFetchError } from '#lib/net/operator-fetch.ts'
import type { SignInDeps } from '../deps.ts'
import { SignInRefused } from '../refusals.ts'
import type { Provider } from './providers.ts'

export function findProvider({ providers }: Pick<SignInDeps, 'providers'>, name: string): Provider {
  const provider = providers.find((candidate) => candidate.name === name)
  if (!provider) throw new SignInRefused('unknown_provider')
  return provider
}

export function callbackUri({ redirectBaseUrl }: Pick<SignInDeps, 'redirectBaseUrl'>, { name }: Provider): string {
  return `${redirectBaseUrl}/auth/${name}/callback`
}

/** Turns errors of the provider into a SignInRefused and logs them without the codes and tokens they may contain. */
export async function askProvider<T>({ log }: SignInDeps, { name }: Provider, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const reason = isUnreachable(error) ? 'unreachable' : 'not_confirmed'
    log.warn({ provider: name, reason, fault: faultOf(error) }, 'an identity provider did not confirm a sign-in')
    throw new SignInRefused(reason)
  }
}

/** Uses only name and code of an error, because its message and cause may contain codes and tokens. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, error: oauth } = error as Error & { code?: unknown; error?: unknown }
  return [error.name, code, oauth]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, 200)
}

function isUnreachable(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof OperatorFetchError) return true
    if ('code' in at && at.code === 'OAUTH_TIMEOUT') return true
    if ('code' in at && at.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return true
  }
  return false
}
