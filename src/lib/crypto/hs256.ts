import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * JWTs between our own services, signed with a shared key. Made and read at every call of an agent: without the detour
 * over threads that WebCrypto takes for a few hundred bytes.
 */
type Claims = Readonly<Record<string, unknown>>

export function signHs256(claims: Claims, typ: string, key: KeyObject): string {
  const content = `${encode({ alg: 'HS256', typ })}.${encode(claims)}`
  return `${content}.${signatureOf(content, key)}`
}

/** Undefined for anything but a token of this type, under this key, in its one spelling. Its claims are not judged. */
export function readHs256(token: string, typ: string, key: KeyObject): Claims | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || !isSigned(`${head}.${body}`, signature, key)) return undefined
  const header = decode(head)
  if (header?.alg !== 'HS256' || header.typ !== typ || 'crit' in header || 'b64' in header) return undefined
  return decode(body)
}

/** As texts: one signature has many spellings in bytes-to-text decoders that forgive. */
function isSigned(content: string, signature: string, key: KeyObject): boolean {
  const [right, given] = [Buffer.from(signatureOf(content, key)), Buffer.from(signature)]
  return right.length === given.length && timingSafeEqual(right, given)
}

function signatureOf(content: string, key: KeyObject): string {
  return createHmac('sha256', key).update(content).digest('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(text: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

type Expected = { issuer: string; audience: string; now: number; clockSeconds?: number }

/** The claims all of ours have: who made it, for whom, of whom, until when. */
export function isFor(claims: Claims, { issuer, audience, now, clockSeconds = 0 }: Expected): boolean {
  const { iss, aud, sub, exp, nbf = 0 } = claims
  if (iss !== issuer || aud !== audience || typeof sub !== 'string') return false
  if (typeof exp !== 'number' || typeof nbf !== 'number') return false
  return exp + clockSeconds > now && nbf <= now + clockSeconds
}
