import { timingSafeEqual } from 'node:crypto'
import { tryParseObject } from '../json.ts'
import type { HmacSha256 } from './hmac.ts'

/*
 * JWTs between our own services, signed with a shared key (RFC 7515, HS256). They are made and read synchronously at
 * every call of an agent: WebCrypto would hand the few hundred bytes to another thread.
 */

type Claims = Readonly<Record<string, unknown>>

export function signHs256(claims: Claims, typ: string, hmac: HmacSha256): string {
  const content = `${encode({ alg: 'HS256', typ })}.${encode(claims)}`
  return `${content}.${signatureOf(content, hmac)}`
}

/** Returns undefined unless the token has this type and signature, in its only spelling. The claims are not checked. */
export function readHs256(token: string, typ: string, hmac: HmacSha256): Claims | undefined {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  if (more.length > 0 || !isSigned(`${head}.${body}`, signature, hmac)) return undefined
  const header = decodePart(head)
  if (header?.alg !== 'HS256' || header.typ !== typ || 'crit' in header || 'b64' in header) return undefined
  return decodePart(body)
}

/** Compares the encoded texts, because lenient base64 decoders accept several spellings of one signature. */
function isSigned(content: string, signature: string, hmac: HmacSha256): boolean {
  const [expected, actual] = [Buffer.from(signatureOf(content, hmac)), Buffer.from(signature)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function signatureOf(content: string, hmac: HmacSha256): string {
  return hmac(content).toString('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Decodes the header or the claims of a JWT. Returns undefined if the text is not a JSON object in base64url. */
export function decodePart(text: string): Claims | undefined {
  return tryParseObject(Buffer.from(text, 'base64url').toString())
}

type Expected = { issuer: string; audience: string; now: number; clockSeconds?: number }

/** Checks the claims that all our JWTs have: issuer, audience, subject and the time they are valid. */
export function isFor(claims: Claims, { issuer, audience, now, clockSeconds = 0 }: Expected): boolean {
  const { iss, aud, sub, exp, nbf = 0 } = claims
  if (iss !== issuer || aud !== audience || typeof sub !== 'string') return false
  if (typeof exp !== 'number' || typeof nbf !== 'number') return false
  return exp + clockSeconds > now && nbf <= now + clockSeconds
}
