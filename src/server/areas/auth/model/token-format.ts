import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * Prefix of each kind of token. API tokens (`svc_`) are given to users; the others stay in browsers and staff tools.
 */
export const TOKEN_PREFIXES = {
  api_token: 'svc_',
  session: 'svcs_',
  support: 'svcp_',
  invitation: 'svci_',
  code: 'svcc_',
  mailed_link: 'svcl_',
  company_client: 'svck_',
} as const
export type TokenKind = keyof typeof TOKEN_PREFIXES

/**
 * Prefix, 43 random base62 characters (256 bits), 6 of checksum, by which a secret scanner recognizes a leaked token.
 */
const TOKEN_PATTERN = /^(svc[spiclk]?_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function makeToken(kind: TokenKind = 'api_token'): string {
  const body = Array.from({ length: 43 }, () => BASE62_DIGITS[randomInt(62)]).join('')
  return `${TOKEN_PREFIXES[kind]}${body}${checksum(body)}`
}

/** Returns undefined if prefix or checksum are wrong, so that mistyped tokens are refused without a database query. */
export function kindOfToken(text: string): TokenKind | undefined {
  const [, prefix, body, check] = TOKEN_PATTERN.exec(text) ?? []
  if (body === undefined || checksum(body) !== check) return undefined
  return (Object.keys(TOKEN_PREFIXES) as TokenKind[]).find((kind) => TOKEN_PREFIXES[kind] === prefix)
}

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body), left = 6; left > 0; left--, rest = Math.floor(rest / 62))
    text = BASE62_DIGITS[rest % 62] + text
  return text
}
