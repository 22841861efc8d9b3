import { redirectUriFault } from './redirect-uri.ts'

/** Thrown for client metadata that is not accepted. `code` is an error code of RFC 7591. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  constructor(code: MetadataFault['code'], message: string) {
    super(message)
    this.code = code
  }
}

export type ClientMetadata = { name: string; uri: string | undefined; redirectUris: string[] }

const MAX_REDIRECT_URIS = 10
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/**
 * Reads client metadata. `strict` refuses every fault, for registrations; `usable` ignores unusable values, for
 * documents. `listed` are the accepted redirect URIs with schemes of their own.
 */
export function readMetadata(input: unknown, mode: 'strict' | 'usable', listed: readonly string[]): ClientMetadata {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid('The metadata must be a JSON object.')
  const metadata = input as Record<string, unknown>
  if (metadata.client_secret !== undefined || metadata.client_secret_expires_at !== undefined) {
    throw invalid('client_secret: not supported. Clients use PKCE instead')
  }
  const method = metadata.token_endpoint_auth_method ?? 'none'
  if (method !== 'none') throw invalid('token_endpoint_auth_method: must be none')
  refuseUnsupported(metadata, 'grant_types', GRANT_TYPES, mode)
  refuseUnsupported(metadata, 'response_types', ['code'], mode)
  return {
    name: readName(metadata.client_name, mode),
    uri: readWebUri(metadata.client_uri),
    redirectUris: readRedirectUris(metadata.redirect_uris, mode, listed),
  }
}

function readName(value: unknown, mode: 'strict' | 'usable'): string {
  // Removes control and bidirectional characters, which could falsify the page or terminal that shows the name.
  const name = typeof value === 'string' ? value.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ').trim() : ''
  if (name.length > 200) throw invalid('client_name: must have at most 200 characters')
  // The name is optional in RFC 7591 and required in the client metadata document draft.
  if (name === '' && mode === 'usable') throw invalid('client_name: required')
  if (value !== undefined && typeof value !== 'string') throw invalid('client_name: must be text')
  return name === '' ? 'Unnamed agent' : name
}

const NO_ENTRY = 'redirect_uris: must have at least one entry'
/** Gemini CLI registers without redirect URIs when its connection was ended, and shows only this text to its person. */
const NO_REDIRECT_URI = `${NO_ENTRY}. If the agent was connected before, log in again.`

function readRedirectUris(value: unknown, mode: 'strict' | 'usable', listed: readonly string[]): string[] {
  if (!Array.isArray(value) || value.length === 0) throw redirect(mode === 'strict' ? NO_REDIRECT_URI : NO_ENTRY)
  if (value.length > MAX_REDIRECT_URIS) throw redirect(`redirect_uris: must have at most ${MAX_REDIRECT_URIS} entries`)
  const uris = value.map((uri) => (typeof uri === 'string' ? uri : ''))
  const faults = uris.map((uri) => redirectUriFault(uri, listed))
  const first = faults.findIndex((fault) => fault !== undefined)
  if (mode === 'strict' && first !== -1) throw redirect(`redirect_uris[${first}]: ${faults[first]}`)
  const usable = uris.filter((_, index) => faults[index] === undefined)
  if (usable.length === 0) throw redirect('redirect_uris: no entry can be used')
  return usable
}

function readWebUri(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 500 ? URL.parse(value) : null
  return url?.protocol === 'https:' ? url.href : undefined
}

function refuseUnsupported(
  metadata: Record<string, unknown>,
  key: string,
  supported: readonly string[],
  mode: 'strict' | 'usable',
): void {
  const value = metadata[key]
  if (value === undefined) return
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const isSupported = (item: unknown) => supported.includes(item as string)
  if (mode === 'strict' ? !items.every(isSupported) : !items.some(isSupported))
    throw invalid(`${key}: must be ${supported.join(', ')}`)
}

function invalid(message: string): MetadataFault {
  return new MetadataFault('invalid_client_metadata', message)
}

function redirect(message: string): MetadataFault {
  return new MetadataFault('invalid_redirect_uri', message)
}
