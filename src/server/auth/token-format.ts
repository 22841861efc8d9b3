import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** `svc_` + 43 random base62 characters (256 bits) + 6 of checksum, so that a scanner can tell a leaked one from noise. */
const SHAPE = /^svc_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function makeToken(): string {
  const body = Array.from({ length: 43 }, () => DIGITS[randomInt(62)]).join('')
  return `svc_${body}${checksum(body)}`
}

/** Says no to typing errors and noise before the database is asked. */
export function isToken(text: string): boolean {
  const match = SHAPE.exec(text)
  return match !== null && checksum(match[1]!) === match[2]
}

function checksum(body: string): string {
  let text = ''
  for (let rest = crc32(body), left = 6; left > 0; left--, rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text
  return text
}
