import type { Audience, Principal } from '#contract/core/principal.ts'
import type { ReadAccessToken } from '#edge/credentials/access-token.ts'
import type { ActorClaims, SignAssertion } from '#edge/credentials/actor-assertion.ts'
import type { ValidateToken } from '#edge/credentials/caller.ts'
import type { RequestInfo } from '#edge/route/route.ts'
import { shareNext } from '#lib/work/share-next.ts'
import type { Resource } from './resource.ts'

export type Agents = {
  /**
   * Returns the agent's principal, `forged` for a token that auth never signed, and undefined for one that is not good
   * for the resource now. Auth is asked after each call has arrived whether the grant still stands. Calls of one grant
   * that arrive while it is asked share the next answer.
   */
  admit(token: string, resource: Resource, info: RequestInfo): Promise<Principal | 'forged' | undefined>
  /** Signs an assertion on the agent for another service. Throws for a principal that does not identify an agent. */
  assert(agent: Principal, audience: Audience): string
}

type Deps = { read: ReadAccessToken; sign: SignAssertion; validate: ValidateToken }

/**
 * Admits agents by their access token and speaks for them to other services. The token itself is not kept: an assertion
 * is made from the data of the principal alone, so a copy of a principal is as good as the original.
 */
export function createAgents({ read, sign, validate }: Deps): Agents {
  const check = shareNext(({ claims, info }: { claims: ActorClaims; info: RequestInfo }) =>
    validate(sign(claims, 'mcp-server'), info),
  )
  return {
    async admit(token, { issuer, url }, info) {
      const claims = read(token, { issuer, resource: url })
      if (!claims || claims === 'forged') return claims
      const found = await check(keyOf(claims, info), { claims, info })
      if (found.kind !== 'agent' || found.id !== claims.grantId || found.user_id !== claims.userId) return undefined
      const scopes = found.scopes.filter((scope) => claims.scopes.includes(scope))
      return { ...found, scopes, client_id: claims.clientId, expires_at: earlier(found.expires_at, claims.expiresAt) }
    },
    assert({ kind, id, user_id, client_id, scopes }, audience) {
      if (kind !== 'agent' || user_id === null || client_id === undefined) {
        throw new Error(`a principal of kind ${kind} does not identify an agent with its person and its client`)
      }
      return sign({ grantId: id, userId: user_id, clientId: client_id, scopes }, audience)
    },
  }
}

/** Auth is told who asks from where, so calls share an answer only if all of that is the same. */
function keyOf({ grantId, userId, clientId, scopes }: ActorClaims, { clientAddress }: RequestInfo): string {
  return JSON.stringify([grantId, userId, clientId, scopes, clientAddress])
}

/** An approval outlives each of its access tokens. */
function earlier(grantEnd: string | null, tokenEnd: Date): string {
  return grantEnd !== null && Date.parse(grantEnd) < tokenEnd.getTime() ? grantEnd : tokenEnd.toISOString()
}

/** Used where agents cannot connect: every access token is refused as forged. */
export const NO_AGENTS: Agents = {
  admit: async () => 'forged',
  assert: () => {
    throw new Error('agents cannot connect here, so nothing can be asserted of one')
  },
}
