import { decodeJwt } from 'jose'

/**
 * Returns when a service account's token says it expires, or undefined if it has expired or is another kind of token.
 * The signature is not checked here and nothing is granted for this claim. It keeps other tokens away from the API
 * server, and keeps a cached review from outliving its token.
 */
export function expiryOf(token: string, now: Date): Date | undefined {
  const { sub, exp } = claimsOf(token)
  if (typeof sub !== 'string' || !sub.startsWith('system:serviceaccount:') || typeof exp !== 'number') return undefined
  const expiresAt = new Date(exp * 1000)
  return expiresAt > now ? expiresAt : undefined
}

function claimsOf(token: string): { sub?: unknown; exp?: unknown } {
  try {
    return decodeJwt(token)
  } catch {
    return {}
  }
}
