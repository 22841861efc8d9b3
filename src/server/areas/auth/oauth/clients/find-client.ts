import { hash } from 'node:crypto'
import type { OAuthDeps } from '../deps.ts'
import { type ClientRow, findClientRow } from '../store/clients.ts'
import { findApprovedDocument } from '../store/grants.ts'
import type { OAuthClient } from './client.ts'
import {
  DocumentFault,
  documentsSwitchedOff,
  fetchDocument,
  isDocumentAddress,
  readDocument,
} from './client-documents.ts'
import { redirectUriFault } from './redirect-uri.ts'

/**
 * `fresh` fetches the client's document again, for authorizations; `recent` accepts one fetched in the last ten
 * minutes.
 */
type Freshness = 'fresh' | 'recent'

const DOCUMENT_CACHE_SECONDS = 10 * 60
const FAULT_CACHE_SECONDS = 60

type Deps = Pick<OAuthDeps, 'db' | 'clock' | 'kv' | 'keys' | 'safeFetch' | 'clientDocuments' | 'redirectSchemes'>
/** Result of the last fetch of a document: its content, or why it cannot be used. */
type Outcome = { content?: Record<string, unknown>; fault?: string }

/**
 * Returns undefined if the client is unknown or disabled. Throws DocumentFault if the client's document cannot be
 * fetched or used, or if SVC_CLIENT_DOCUMENTS is off.
 */
export async function findClient(deps: Deps, id: string, freshness: Freshness): Promise<OAuthClient | undefined> {
  if (id.length > 2000 || id.includes('\0')) return undefined
  const row = await findClientRow(deps.db, id, deps.clock.now())
  if (row && !row.is_active) return undefined
  if (row && row.redirect_uris.length > 0) return clientOfRow(deps, row)
  if (!isDocumentAddress(id)) return undefined
  if (!deps.clientDocuments) throw documentsSwitchedOff()
  return freshness === 'fresh' ? fetchAndCache(deps, id) : findRecent(deps, id)
}

/** Leaves out redirect URIs that registration would refuse, because operators can insert rows with any. */
function clientOfRow({ redirectSchemes }: Deps, row: ClientRow): OAuthClient | undefined {
  const redirectUris = row.redirect_uris.filter((uri) => redirectUriFault(uri, redirectSchemes) === undefined)
  if (redirectUris.length === 0) return undefined
  return {
    id: row.client_id,
    name: row.client_name || row.client_id,
    uri: row.client_uri ?? undefined,
    redirectUris,
    expiresAt: row.expires_at ?? undefined,
    document: undefined,
  }
}

/** Fetches the document only of clients that somebody approved, so that strangers cannot make us fetch any address. */
async function findRecent(deps: Deps, id: string): Promise<OAuthClient | undefined> {
  const cached = await readCache(deps, id)
  if (cached?.fault !== undefined) throw new DocumentFault(cached.fault)
  if (cached?.content) return readDocument(deps, id, cached.content)
  const approved = await findApprovedDocument(deps.db, id, deps.keys.epoch)
  if (!approved) return undefined
  try {
    return await fetchAndCache(deps, id)
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    // An outage of the client's site must not end approved connections. Either way the result is cached for a minute,
    // because each token request, which costs its sender nothing, would otherwise fetch the document again.
    await writeCache(
      deps,
      id,
      error.unreachable ? { content: approved } : { fault: error.message },
      FAULT_CACHE_SECONDS,
    )
    if (error.unreachable) return readDocument(deps, id, approved)
    throw error
  }
}

async function fetchAndCache(deps: Deps, id: string): Promise<OAuthClient> {
  const client = await fetchDocument(deps, id)
  await writeCache(deps, id, { content: client.document!.content }, DOCUMENT_CACHE_SECONDS)
  return client
}

async function writeCache({ kv, clock }: Deps, id: string, outcome: Outcome, seconds: number): Promise<void> {
  const until = clock.now().getTime() + seconds * 1000
  await kv.set(keyOf(id), JSON.stringify({ ...outcome, until }), seconds)
}

async function readCache({ kv, clock }: Deps, id: string): Promise<Outcome | undefined> {
  const entry = await kv.get(keyOf(id))
  if (entry === undefined) return undefined
  const { until, ...outcome } = JSON.parse(entry) as Outcome & { until?: number }
  return until !== undefined && clock.now().getTime() < until ? outcome : undefined
}

function keyOf(id: string): string {
  return `oauth-document:${hash('sha256', id)}`
}
