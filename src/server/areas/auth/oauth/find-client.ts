import { hash } from 'node:crypto'
import type { OAuthClient } from './client.ts'
import type { OAuthDeps } from './deps.ts'
import { DocumentFault, documentsSwitchedOff, fetchDocument, isDocumentAddress, readDocument } from './documents.ts'
import { redirectUriFault } from './redirect-uri.ts'
import { type ClientRow, findClientRow } from './store/clients.ts'
import { findApprovedDocument } from './store/grants.ts'

/** `fresh` at an authorization: the document is fetched anew. Otherwise one of the last minutes will do. */
type Freshness = 'fresh' | 'recent'

const RECENT_SECONDS = 10 * 60
const FAULT_SECONDS = 60

type Deps = Pick<OAuthDeps, 'db' | 'clock' | 'kv' | 'keys' | 'safeFetch' | 'clientDocuments'>
/** Result of the last fetch of a document: its content, or why it cannot be used. */
type Outcome = { content?: Record<string, unknown>; fault?: string }

/**
 * Undefined for an unknown client, and for one the operator switched off. Throws DocumentFault when the client's
 * document cannot be fetched or used, or when this installation fetches none.
 */
export async function findClient(deps: Deps, id: string, freshness: Freshness): Promise<OAuthClient | undefined> {
  if (id.length > 2000 || id.includes('\0')) return undefined
  const row = await findClientRow(deps.db, id, deps.clock.now())
  if (row && !row.is_active) return undefined
  if (row && row.redirect_uris.length > 0) return ofRow(row)
  if (!isDocumentAddress(id)) return undefined
  if (!deps.clientDocuments) throw documentsSwitchedOff()
  return freshness === 'fresh' ? fetchAndKeep(deps, id) : findRecent(deps, id)
}

/** Redirects that registration would refuse are left out, also where an operator inserted the row. */
function ofRow(row: ClientRow): OAuthClient | undefined {
  const redirectUris = row.redirect_uris.filter((uri) => redirectUriFault(uri) === undefined)
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

/** Fetches nothing for a client that neither was in an authorization of the last minutes nor is approved by anybody. */
async function findRecent(deps: Deps, id: string): Promise<OAuthClient | undefined> {
  const kept = await recall(deps, id)
  if (kept?.fault !== undefined) throw new DocumentFault(kept.fault)
  if (kept?.content) return readDocument(id, kept.content)
  const approved = await findApprovedDocument(deps.db, id, deps.keys.epoch)
  if (!approved) return undefined
  try {
    return await fetchAndKeep(deps, id)
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error
    // An outage of the client's site must not end what was approved while it stood. Either way the site is left alone
    // for a minute: token requests cost their sender nothing, and each would otherwise fetch the document again.
    await keep(deps, id, error.unreachable ? { content: approved } : { fault: error.message }, FAULT_SECONDS)
    if (error.unreachable) return readDocument(id, approved)
    throw error
  }
}

async function fetchAndKeep(deps: Deps, id: string): Promise<OAuthClient> {
  const client = await fetchDocument(deps, id)
  await keep(deps, id, { content: client.document!.content }, RECENT_SECONDS)
  return client
}

async function keep({ kv, clock }: Deps, id: string, outcome: Outcome, seconds: number): Promise<void> {
  const until = clock.now().getTime() + seconds * 1000
  await kv.set(keyOf(id), JSON.stringify({ ...outcome, until }), seconds)
}

async function recall({ kv, clock }: Deps, id: string): Promise<Outcome | undefined> {
  const kept = await kv.get(keyOf(id))
  if (kept === undefined) return undefined
  const { until, ...outcome } = JSON.parse(kept) as Outcome & { until?: number }
  return until !== undefined && clock.now().getTime() < until ? outcome : undefined
}

function keyOf(id: string): string {
  return `oauth-document:${hash('sha256', id)}`
}
