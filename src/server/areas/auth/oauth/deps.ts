import type { Cookies } from '#edge/credentials/cookies.ts'
import type { KeyValueStore } from '#lib/kv/kv.ts'
import type { Log } from '#lib/log/log.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { AuthDeps } from '../model/deps.ts'

export type OAuthOptions = {
  /** Public addresses of the issuer, the MCP server and the sign-in pages. */
  readonly publicUrls: { issuer: string; mcp: string; signIn: string }
  readonly jwtSecret: string
  readonly actorAssertionSecret: string
  readonly loopbackAnyPort: boolean
  /** Accepted redirect URIs with schemes of their own, as a whole. */
  readonly redirectSchemes: readonly string[]
  /** Whether clients may describe themselves by a metadata document. */
  readonly clientDocuments: boolean
  /** Fetches client metadata documents. */
  readonly safeFetch: SafeFetch
  readonly cookies: Cookies
  readonly log: Log
  /** The identity providers that organizations can trust for agents, and how they are reached. */
  readonly companyIssuers: readonly string[]
  readonly outgoing: (request: Request) => Promise<Response>
}

export type OAuthDeps = AuthDeps & OAuthOptions & { readonly kv: KeyValueStore }

export const GRANT_DAYS = 90
export const REFRESH_DAYS = 30
export const CODE_SECONDS = 60
export const INTERACTION_SECONDS = 600
export const DAY_MS = 24 * 3_600_000

export const CONSENT_PATH = '/oauth/consent'
export const INTERACTION_COOKIE = 'svc_consent'
