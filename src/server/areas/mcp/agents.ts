import type { Audience, Principal } from '#contract/core/principal.ts'
import type { AccessToken, ReadAccessToken } from '#edge/credentials/access-token.ts'
import type { SignAssertion } from '#edge/credentials/actor-assertion.ts'
import type { ValidateToken } from '#edge/credentials/caller.ts'
import type { RequestInfo } from '#edge/http/route.ts'
import type { Resource } from './resource.ts'

export type Agents = {
  /**
   * Answers `forged` for a token that auth never signed, and undefined for one that is not good for the resource now.
   * Auth is asked at each call whether the grant still stands.
   */
  admit(token: string, resource: Resource, info: RequestInfo): Promise<Principal | 'forged' | undefined>
  /** Fresh words on an agent for another service; undefined for callers who came with a token of their own. */
  present(principal: Principal, audience: Audience): string | undefined
}

type Deps = { read: ReadAccessToken; sign: SignAssertion; validate: ValidateToken }

/** The agent's own token is read here and goes no further. */
export function createAgents({ read, sign, validate }: Deps): Agents {
  const tokens = new WeakMap<Principal, AccessToken>()
  return {
    async admit(token, { issuer, url }, info) {
      const claims = read(token, { issuer, resource: url })
      if (!claims || claims === 'forged') return claims
      const found = await validate(sign(claims, 'mcp-server'), info)
      if (found.kind !== 'agent' || found.id !== claims.grantId || found.user_id !== claims.userId) return undefined
      const principal = { ...found, scopes: found.scopes.filter((scope) => claims.scopes.includes(scope)) }
      tokens.set(principal, claims)
      return principal
    },
    present(principal, audience) {
      const claims = tokens.get(principal)
      return claims && sign({ ...claims, scopes: principal.scopes }, audience)
    },
  }
}

/** Where there are no connectors. */
export const NO_AGENTS: Agents = { admit: async () => 'forged', present: () => undefined }
