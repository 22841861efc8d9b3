import { type ClientAuth, ClientSecretPost, type ServerMetadata } from 'openid-client'

/**
 * Sends the client secret in the way the provider supports. The header comes first: it is the default of OpenID Connect
 * for providers that name none, and for clients that were registered without naming one.
 */
export function clientSecretByMetadata(secret: string): ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    if (methods.includes('client_secret_post') && !methods.includes('client_secret_basic')) {
      ClientSecretPost(secret)(server, client, body, headers)
    } else {
      const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
      headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
    }
  }
}

/**
 * Encodes as RFC 6749 section 2.3.1 says, and leaves letters, digits and `-._` as they are. The library also encodes
 * those three, and providers that do not decode the header would then refuse the usual ids and secrets.
 */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/**
 * Asks for the choice of an account only where the provider says that it has one, because others refuse the request.
 * Someone who links an identity is then asked to sign in at the provider again, which every provider supports: another
 * site may have signed the browser in there as somebody else, who would get into the account.
 */
export function promptByMetadata(
  { prompt_values_supported: prompts }: ServerMetadata,
  isLinking: boolean,
): { prompt?: string } {
  if (Array.isArray(prompts) && prompts.includes('select_account')) return { prompt: 'select_account' }
  return isLinking ? { prompt: 'login' } : {}
}
