import { decodeJwt } from 'jose'

/**
 * When a service account's token ends, by its own word; undefined when it has ended or is none. Nothing is believed
 * for it: it keeps tokens of other kinds from the API server, and a kept answer from outliving its token.
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
