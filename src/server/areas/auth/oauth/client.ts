import { hash } from 'node:crypto'

/** A client as the authorization server knows it, wherever it was described. */
export type OAuthClient = {
  readonly id: string
  readonly name: string
  readonly uri: string | undefined
  readonly redirectUris: readonly string[]
  /** When its registration ends, and with it all it was allowed. */
  readonly expiresAt: Date | undefined
  /** There for clients that are described by a document of their own. */
  readonly document: ClientDocument | undefined
}

export type ClientDocument = {
  readonly content: Record<string, unknown>
  /** Of all of it: another one means that the person must approve again. */
  readonly digest: string
  /** Of what says who the client is: another one means that it is not the one that was approved. */
  readonly identityDigest: string
}

export function describeDocument(content: Record<string, unknown>): ClientDocument {
  const { redirect_uris, jwks, jwks_uri, token_endpoint_auth_method } = content
  const identity = { redirect_uris, jwks, jwks_uri, token_endpoint_auth_method }
  return { content, digest: digestOf(content), identityDigest: digestOf(identity) }
}

function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(sorted(value)))
}

/** The order of keys is nobody's decision. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
