import { SafeFetchError } from '#lib/net/safe-fetch-error.ts'
import { describeDocument, type OAuthClient } from './client.ts'
import { MetadataFault, readMetadata } from './client-metadata.ts'
import type { OAuthDeps } from './deps.ts'

const MAX_BYTES = 5 * 1024
const MAX_MS = 2_500

const UNREACHABLE =
  'The document that describes this agent cannot be fetched. If this service has no way out to the internet, whoever ' +
  'runs it can set SVC_CLIENT_DOCUMENTS=off; agents then register themselves.'

const SWITCHED_OFF =
  'This service does not fetch the documents by which agents describe themselves (SVC_CLIENT_DOCUMENTS=off). Remove ' +
  "the agent's connection and add it again, so that it registers itself."

/** The document cannot be fetched or used. The message is shown to the person in front of the page. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
  /** The client's site did not answer, so its document may still be good. */
  readonly unreachable: boolean
  constructor(message: string, unreachable = false) {
    super(message)
    this.unreachable = unreachable
  }
}

export function documentsSwitchedOff(): DocumentFault {
  return new DocumentFault(SWITCHED_OFF)
}

/** Whether a client id is the address of a document. Addresses that a browser would spell differently are not. */
export function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > 2000 || /[\s\\#@\p{Cc}]/u.test(id)) return false
  const url = URL.parse(id)
  if (!url || url.pathname === '/' || url.href !== id) return false
  return !/%2e/i.test(url.pathname)
}

/** Fetches the document from the client's own site. */
export async function fetchDocument({ safeFetch }: Pick<OAuthDeps, 'safeFetch'>, id: string): Promise<OAuthClient> {
  const answer = await ask(safeFetch, id)
  if (answer.status !== 200) {
    throw new DocumentFault(`the client's document was answered with ${answer.status}`, answer.status >= 500)
  }
  if (answer.truncated) throw new DocumentFault("the client's document is longer than 5 KB")
  return readDocument(id, parse(answer.body))
}

export function readDocument(id: string, content: Record<string, unknown>): OAuthClient {
  if (content.client_id !== id) throw new DocumentFault("the client's document is about another client")
  try {
    const { name, uri, redirectUris } = readMetadata(content, 'usable')
    return { id, name, uri, redirectUris, expiresAt: undefined, document: describeDocument(content) }
  } catch (error) {
    if (error instanceof MetadataFault)
      throw new DocumentFault(`the client's document cannot be used: ${error.message}`)
    throw error
  }
}

async function ask(safeFetch: OAuthDeps['safeFetch'], id: string) {
  try {
    const headers = { accept: 'application/json' }
    return await safeFetch(id, { headers, timeoutMs: MAX_MS, maxResponseBytes: MAX_BYTES, redirects: 0 })
  } catch (error) {
    // The reason is left out: it could tell an outsider what stands in our network.
    if (error instanceof SafeFetchError) throw new DocumentFault(UNREACHABLE, true)
    throw error
  }
}

function parse(body: Uint8Array): Record<string, unknown> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const content: unknown = JSON.parse(text)
    // No database keeps a NUL, and no honest document holds one.
    if (!/\\u0000/.test(text) && typeof content === 'object' && content !== null && !Array.isArray(content)) {
      return content as Record<string, unknown>
    }
  } catch {
    // Said below, like anything else that is no JSON object.
  }
  throw new DocumentFault("the client's document is no JSON object")
}
