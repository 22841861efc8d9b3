import { hash } from 'node:crypto'
import type { OAuthClient } from './client.ts'
import type { OAuthDeps } from './deps.ts'
import { DocumentFault, fetchDocument, isDocumentAddress, readDocument } from './documents.ts'
import { findClientRow } from './store/clients.ts'
import { findApprovedDocument } from './store/grants.ts'

/** `fresh` at an authorization: the document is fetched anew. Otherwise one of the last minutes will do. */
export type Freshness = 'fresh' | 'recent'

const RECENT_SECONDS = 10 * 60

type Kept = { at: number; content: Record<string, unknown> }
const NEVER: Kept = { at: Number.NEGATIVE_INFINITY, content: {} }

type Deps = Pick<OAuthDeps, 'db' | 'clock' | 'kv' | 'keys' | 'safeFetch'>

/** Undefined for a client nobody knows, and for one the operator switched off. */
export async function findClient(deps: Deps, id: string, freshness: Freshness): Promise<OAuthClient | undefined> {
  if (id.length > 2000) return undefined
  const row = await findClientRow(deps.db, id, deps.clock.now())
  if (row && !row.is_active) return undefined
  if (row && row.redirect_uris.length > 0) {
    const { client_id, client_name, client_uri, redirect_uris: redirectUris } = row
    return {
      id: client_id,
      name: client_name || client_id,
      uri: client_uri ?? undefined,
      redirectUris,
      document: undefined,
    }
  }
  return isDocumentAddress(id) ? findByDocument(deps, id, freshness) : undefined
}

async function findByDocument(deps: Deps, id: string, freshness: Freshness): Promise<OAuthClient> {
  const key = `oauth-document:${hash('sha256', id)}`
  const now = deps.clock.now().getTime()
  const kept = freshness === 'recent' ? await deps.kv.get(key) : undefined
  const { at, content } = kept === undefined ? NEVER : (JSON.parse(kept) as Kept)
  if (now - at < RECENT_SECONDS * 1000) return readDocument(id, content)
  try {
    const client = await fetchDocument(deps, id)
    const fresh: Kept = { at: now, content: client.document!.content }
    await deps.kv.set(key, JSON.stringify(fresh), RECENT_SECONDS)
    return client
  } catch (error) {
    // An outage of the client's site must not end what was approved while it stood.
    const unreachable = error instanceof DocumentFault && error.unreachable && freshness === 'recent'
    const approved = unreachable ? await findApprovedDocument(deps.db, id, deps.keys.epoch) : undefined
    if (approved) return readDocument(id, approved)
    throw error
  }
}
