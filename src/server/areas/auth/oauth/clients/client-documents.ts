import { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import type { OAuthDeps } from '../deps.ts'
import { digestDocument, type OAuthClient } from './client.ts'
import { MetadataFault, readMetadata } from './client-metadata.ts'

const MAX_DOCUMENT_BYTES = 5 * 1024
const FETCH_TIMEOUT_MS = 2_500

const UNREACHABLE =
  'The metadata document of this agent cannot be fetched. If this service has no internet access, its operator can set ' +
  'SVC_CLIENT_DOCUMENTS=off. Agents then register themselves.'

const SWITCHED_OFF =
  'This service does not fetch metadata documents of agents (SVC_CLIENT_DOCUMENTS=off). Remove ' +
  "the agent's connection and add it again, so that it registers itself."

/** Thrown if a client metadata document cannot be fetched or used. The message is shown to the user. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
  /** True if the client's site did not answer, so that an earlier document may still be used. */
  readonly unreachable: boolean
  constructor(message: string, unreachable = false) {
    super(message)
    this.unreachable = unreachable
  }
}

export function documentsSwitchedOff(): DocumentFault {
  return new DocumentFault(SWITCHED_OFF)
}

/** Whether a client id is the https address of a document, in the spelling that browsers normalize it to. */
export function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > 2000 || /[\s\\#@\p{Cc}]/u.test(id)) return false
  const url = URL.parse(id)
  if (!url || url.pathname === '/' || url.href !== id) return false
  return !/%2e/i.test(url.pathname)
}

type DocumentDeps = Pick<OAuthDeps, 'safeFetch' | 'redirectSchemes'>

/** Fetches the document from the client's own site. */
export async function fetchDocument(deps: DocumentDeps, id: string): Promise<OAuthClient> {
  const answer = await request(deps.safeFetch, id)
  if (answer.status !== 200) {
    throw new DocumentFault(
      `The metadata document of the client was answered with status ${answer.status}.`,
      answer.status >= 500,
    )
  }
  if (answer.truncated) throw new DocumentFault('The metadata document of the client is larger than 5 KB.')
  return readDocument(deps, id, parse(answer.body))
}

/** Reads a client from its document. Throws DocumentFault if the document names another client or cannot be used. */
export function readDocument(
  { redirectSchemes }: Pick<OAuthDeps, 'redirectSchemes'>,
  id: string,
  content: Record<string, unknown>,
): OAuthClient {
  if (content.client_id !== id) throw new DocumentFault('The metadata document of the client describes another client.')
  try {
    const { name, uri, redirectUris } = readMetadata(content, 'usable', redirectSchemes)
    return { id, name, uri, redirectUris, expiresAt: undefined, document: digestDocument(content) }
  } catch (error) {
    if (error instanceof MetadataFault)
      throw new DocumentFault(`The metadata document of the client is not valid: ${error.message}`)
    throw error
  }
}

async function request(safeFetch: OAuthDeps['safeFetch'], id: string) {
  try {
    const headers = { accept: 'application/json' }
    return await safeFetch(id, {
      headers,
      timeoutMs: FETCH_TIMEOUT_MS,
      maxResponseBytes: MAX_DOCUMENT_BYTES,
      redirects: 0,
    })
  } catch (error) {
    // The reason is left out, because it could tell an outsider what is in our network.
    if (error instanceof SafeFetchError) throw new DocumentFault(UNREACHABLE, true)
    throw error
  }
}

function parse(body: Uint8Array): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const content: unknown = JSON.parse(text)
    // Postgres cannot store NUL, and no valid document contains it.
    if (!/\\u0000/.test(text) && typeof content === 'object' && content !== null && !Array.isArray(content)) {
      return content as Record<string, unknown>
    }
  } catch {
    // Reported below, like any other body that is not a JSON object.
  }
  throw new DocumentFault('The metadata document of the client is not a JSON object.')
}
