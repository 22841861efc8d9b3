import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What a token is, told by its prefix: `svc_` an API token, the others never leave the browser or the staff's tool. */
export const TOKEN_PREFIXES = {
  api_token: 'svc_',
  session: 'svcs_',
  support: 'svcp_',
  invitation: 'svci_',
  code: 'svcc_',
} as const
export type TokenKind = keyof typeof TOKEN_PREFIXES

/** Prefix + 43 random base62 characters (256 bits) + 6 of checksum, so that a scanner can tell a leaked one from noise. */
const SHAPE = /^(svc[spic]?_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function makeToken(kind: TokenKind = 'api_token'): string {
  const body = Array.from({ length: 43 }, () => DIGITS[randomInt(62)]).join('')
  return `${TOKEN_PREFIXES[kind]}${body}${checksum(body)}`
}

/** Undefined for typing errors and noise: they are refused before the database is asked. */
export function kindOfToken(text: string): TokenKind | undefined {
  const [, prefix, body, check] = SHAPE.exec(text) ?? []
  if (body === undefined || checksum(body) !== check) return undefined
  return (Object.keys(TOKEN_PREFIXES) as TokenKind[]).find((kind) => TOKEN_PREFIXES[kind] === prefix)
}

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body), left = 6; left > 0; left--, rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text
  return text
}
