/** Errors of the token endpoint (RFC 6749 section 5.2, RFC 8707 section 2). */
type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type'

/** A refused token request. The message is the description in the answer. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal'
  readonly code: TokenErrorCode

  constructor(code: TokenErrorCode, description: string) {
    super(description)
    this.code = code
  }

  /** `isByHeader`: the client authenticated itself by a header, which the answer then asks for. */
  toResponse(isByHeader: boolean): Response {
    const status = this.code === 'invalid_client' ? 401 : 400
    const headers = new Headers({ 'cache-control': 'no-store' })
    if (status === 401 && isByHeader) headers.set('www-authenticate', 'Basic realm="svc"')
    return Response.json({ error: this.code, error_description: this.message }, { status, headers })
  }
}
