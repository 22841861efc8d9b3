import { redirectUriFault } from './redirect-uri.ts'

/** What a client says of itself does not do. The code is RFC 7591's. */
export class MetadataFault extends Error {
  override readonly name = 'MetadataFault'
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  constructor(code: MetadataFault['code'], message: string) {
    super(message)
    this.code = code
  }
}

export type ClientMetadata = { name: string; uri: string | undefined; redirectUris: string[] }

const MOST_REDIRECTS = 10
const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** `strict`: a registration is told what is wrong; of a document only what can be used is taken. */
export function readMetadata(input: unknown, mode: 'strict' | 'usable'): ClientMetadata {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw invalid('not a JSON object')
  const metadata = input as Record<string, unknown>
  if (metadata.client_secret !== undefined || metadata.client_secret_expires_at !== undefined) {
    throw invalid('client_secret: clients keep no secret here, PKCE is used instead')
  }
  const method = metadata.token_endpoint_auth_method ?? 'none'
  if (method !== 'none') throw invalid('token_endpoint_auth_method: only none is known here')
  refuseOthers(metadata, 'grant_types', GRANT_TYPES, mode)
  refuseOthers(metadata, 'response_types', ['code'], mode)
  return {
    name: readName(metadata.client_name, mode),
    uri: readWebUri(metadata.client_uri),
    redirectUris: readRedirectUris(metadata.redirect_uris, mode),
  }
}

function readName(value: unknown, mode: 'strict' | 'usable'): string {
  // Nothing that could turn the page, or the terminal it is shown on, against its reader.
  const name = typeof value === 'string' ? value.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ').trim() : ''
  if (name.length > 200) throw invalid('client_name: at most 200 characters')
  // RFC 7591 leaves it open; the draft for documents does not.
  if (name === '' && mode === 'usable') throw invalid('client_name: is needed')
  if (value !== undefined && typeof value !== 'string') throw invalid('client_name: must be text')
  return name === '' ? 'An agent without a name' : name
}

function readRedirectUris(value: unknown, mode: 'strict' | 'usable'): string[] {
  if (!Array.isArray(value) || value.length === 0) throw redirect('redirect_uris: at least one is needed')
  if (value.length > MOST_REDIRECTS) throw redirect(`redirect_uris: at most ${MOST_REDIRECTS}`)
  const uris = value.map((uri) => (typeof uri === 'string' ? uri : ''))
  const faults = uris.map(redirectUriFault)
  const first = faults.findIndex((fault) => fault !== undefined)
  if (mode === 'strict' && first !== -1) throw redirect(`redirect_uris[${first}]: ${faults[first]}`)
  const usable = uris.filter((_, index) => faults[index] === undefined)
  if (usable.length === 0) throw redirect('redirect_uris: none of them can be used')
  return usable
}

function readWebUri(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= 500 ? URL.parse(value) : null
  return url?.protocol === 'https:' ? url.href : undefined
}

function refuseOthers(
  metadata: Record<string, unknown>,
  key: string,
  known: readonly string[],
  mode: 'strict' | 'usable',
): void {
  const value = metadata[key]
  if (value === undefined) return
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const fits = (item: unknown) => known.includes(item as string)
  if (mode === 'strict' ? !items.every(fits) : !items.some(fits)) throw invalid(`${key}: can be ${known.join(', ')}`)
}

function invalid(message: string): MetadataFault {
  return new MetadataFault('invalid_client_metadata', message)
}

function redirect(message: string): MetadataFault {
  return new MetadataFault('invalid_redirect_uri', message)
}
