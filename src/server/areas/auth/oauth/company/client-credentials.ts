import { TokenRefusal } from './token-refusal.ts'

type Credentials = { readonly client_id: string; readonly secret: string }

/**
 * Reads the id and the secret of a client from the Authorization header or the body (RFC 6749 section 2.3.1). Throws
 * TokenRefusal if there are none, or more than one.
 */
export function readCredentials(authorization: string | null, form: URLSearchParams): Credentials {
  const posted = { client_id: form.get('client_id'), secret: form.get('client_secret') }
  if (authorization === null) {
    if (!posted.client_id || !posted.secret) throw unknownClient()
    return { client_id: posted.client_id, secret: posted.secret }
  }
  const sent = readBasic(authorization)
  if (!sent) throw unknownClient()
  if (posted.secret !== null || (posted.client_id !== null && posted.client_id !== sent.client_id)) {
    throw new TokenRefusal('invalid_request', 'the client authenticates itself in more than one way')
  }
  return sent
}

export function unknownClient(): TokenRefusal {
  return new TokenRefusal('invalid_client', 'the client is unknown, blocked, or its secret is wrong')
}

function readBasic(authorization: string): Credentials | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const [client_id, secret, ...more] = Buffer.from(encoded, 'base64').toString().split(':').map(formDecoded)
  return client_id && secret && more.length === 0 ? { client_id, secret } : undefined
}

function formDecoded(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? ''
}
