import { decodePart } from './hs256.ts'

/**
 * Returns the `typ` that a JWT names in its header, before its signature is checked: '' if it names none, undefined if
 * the text is not a JWT.
 */
export function jwtType(token: string): string | undefined {
  if (!token.startsWith('ey')) return undefined
  const [head = ''] = token.split('.', 1)
  const header = decodePart(head)
  if (!header) return undefined
  return typeof header.typ === 'string' ? header.typ : ''
}
