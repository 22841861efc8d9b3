import { validateToken } from '#contract/auth/auth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { createBoundedCache, loadOnce } from '#lib/memory/bounded-cache.ts'
import { knownPeople, type PeopleAnswer, unknownPeople } from '#ports/people.ts'
import { clientFor, type HostedPeopleDeps } from './deps.ts'

// Refusals are cached as well: the auth service counts refused tokens by address and would soon refuse good ones too.
const TOKEN_CHECK_MS = 60_000

type Tokens = {
  find(orgId: string, signal: AbortSignal): Promise<PeopleAnswer<string>>
  /** The token is checked again before it is used again. */
  forget(token: string): void
}

/** Finds the token of an organization. Each token says itself, through the validation contract, which one it is for. */
export function createTokens(deps: HostedPeopleDeps): Tokens {
  const { tokens, clock } = deps
  const cache = createBoundedCache<string, Promise<string | null>>({
    max: tokens.length,
    ttl: { ms: TOKEN_CHECK_MS, clock },
  })
  return {
    async find(orgId, signal) {
      const checks = tokens.map((token, index) => loadOnce(cache, token, () => findOrgOf(deps, token, index, signal)))
      const results = await Promise.allSettled(checks)
      const index = results.findIndex((result) => result.status === 'fulfilled' && result.value === orgId)
      if (index >= 0) return knownPeople(tokens[index]!)
      return unknownPeople({ isTemporary: results.some(({ status }) => status === 'rejected') })
    },
    forget: (token) => cache.delete(token),
  }
}

/** Returns null for a token that cannot be used; throws when the auth service does not answer. */
async function findOrgOf(
  deps: HostedPeopleDeps,
  token: string,
  index: number,
  signal: AbortSignal,
): Promise<string | null> {
  const refuse = (why: string) => {
    deps.log.warn({}, `token ${index + 1} of SVC_AUTH_API_TOKEN ${why}: people of its organization are unknown`)
    return null
  }
  try {
    const { principal } = await clientFor(deps, token).call(validateToken, { token }, { signal })
    if (principal.org_id === null || principal.role === null) return refuse('belongs to no organization')
    if (!roleAtLeast(principal.role, 'admin')) return refuse(`has the role ${principal.role} and needs admin or owner`)
    return principal.org_id
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_TOKEN') return refuse('is refused by the auth service')
    deps.log.warn({ error }, 'the hosted auth service did not say whose SVC_AUTH_API_TOKEN is')
    throw error
  }
}
