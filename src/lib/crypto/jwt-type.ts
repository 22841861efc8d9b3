import { decodeProtectedHeader } from 'jose'

/** What a JWT says it is, before anybody believes it: '' where it says nothing, undefined for what is none. */
export function jwtType(token: string): string | undefined {
  if (!token.startsWith('ey')) return undefined
  try {
    return decodeProtectedHeader(token).typ ?? ''
  } catch {
    return undefined
  }
}
