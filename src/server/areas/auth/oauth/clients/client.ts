import { hash } from 'node:crypto'

/** An OAuth client, whether registered, described by a document, or inserted by the operator. */
export type OAuthClient = {
  readonly id: string
  readonly name: string
  readonly uri: string | undefined
  readonly redirectUris: readonly string[]
  /** When its registration ends and all its grants with it. Undefined for clients without an end. */
  readonly expiresAt: Date | undefined
  /** Set for clients that describe themselves by a metadata document. */
  readonly document: ClientDocument | undefined
}

export type ClientDocument = {
  readonly content: Record<string, unknown>
  /** Digest of the whole document. If it changes, the consent page says so. */
  readonly digest: string
  /** Digest of the client's identity (redirect URIs, keys). A different digest requires a new approval. */
  readonly identityDigest: string
}

export function digestDocument(content: Record<string, unknown>): ClientDocument {
  const { redirect_uris, jwks, jwks_uri, token_endpoint_auth_method } = content
  const identity = { redirect_uris, jwks, jwks_uri, token_endpoint_auth_method }
  return { content, digest: digestOf(content), identityDigest: digestOf(identity) }
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(sortKeys(value)))
}

/** Sorts keys, so that their order does not change the digest. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, sortKeys(item)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
