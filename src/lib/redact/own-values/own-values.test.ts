import { describe, expect, it } from 'vitest'
import { createRedactor } from '../redact.ts'

/** With characters that every encoding writes differently. No rule knows it: it is no key and has no name. */
const VALUE = 'violet/Tür&"43 +<%>'
const { text: redact, entries, ownValues } = createRedactor({ GREETING: VALUE })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = Buffer.from(VALUE).toString('hex')
const json = JSON.stringify(VALUE).slice(1, -1)
const html = VALUE.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const percent = Array.from(Buffer.from(VALUE), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

describe("MA-24 a value of the app's variables is hidden wherever it appears", () => {
  it.each([
    ['as it is', VALUE],
    ['in Base64', base64(VALUE)],
    ['in Base64 behind one byte', base64(`:${VALUE}`)],
    ['in Base64 behind two bytes', base64(`ab${VALUE}`)],
    ['in Base64 between other bytes', base64(`user:${VALUE}, and more`)],
    ['in Base64 of addresses', Buffer.from(`?${VALUE}?`).toString('base64url')],
    ['in hex', hex],
    ['in upper-case hex', hex.toUpperCase()],
    ['as a Buffer is printed', `<Buffer ${hex.replaceAll(/(..)/g, '$1 ').trim()}>`],
    ['in an address', encodeURIComponent(VALUE)],
    ['in an address, in lower case', encodeURIComponent(VALUE).toLowerCase().replace('t%c3', 'T%c3')],
    ['in an address, each byte', percent],
    ['in a form', new URLSearchParams({ a: VALUE }).toString()],
    ['in JSON', json],
    ['in JSON with escaped slashes', json.replaceAll('/', String.raw`\/`)],
    ['in JSON as code units', json.replaceAll('ü', String.raw`\u00fc`)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ VALUE })).slice(1, -1)],
    ['in an address in JSON in JSON', JSON.stringify(JSON.stringify(`/?a=${encodeURIComponent(VALUE)}`))],
    ['in HTML', html],
    ['in HTML by numbers', Array.from(VALUE, (character) => `&#${character.codePointAt(0)};`).join('')],
    ['in HTML by hex numbers', Array.from(VALUE, (one) => `&#x${one.codePointAt(0)!.toString(16)};`).join('')],
  ])('%s', async (_, written) => {
    const shown = await redact(`it says ${written} twice ${written}!`)
    expect(shown).toMatch(/^it says .{0,14}\[redacted\].{0,26} twice .{0,14}\[redacted\].{0,26}!$/)
    expect(shown).not.toMatch(/violet|dmlvbGV0|76696f6c|%76%69|Tür/i)
  })

  it('also in what people wrote for a model, where rules hide nothing', () => {
    expect(ownValues(`fail if ${VALUE} or password=hunter2 is logged`)).toBe(
      'fail if [redacted] or password=hunter2 is logged',
    )
  })

  it('a value of several lines is hidden line by line, also among lines of others', async () => {
    const { entries: hide } = createRedactor({ NOTE: 'first line here\nsecond line here\n' })
    expect(await hide(['first line here', 'another program', '  second line here'])).toEqual([
      '[redacted]',
      'another program',
      '  [redacted]',
    ])
  })

  it('the password of an address is hidden without the address, also if it is short', async () => {
    const { text: hide } = createRedactor({ DATABASE_URL: 'postgres://shop:p%2Fq7z@db.internal:5432/shop' })
    expect(await hide('login with p/q7z and p%2Fq7z failed')).toBe('login with [redacted] and [redacted] failed')
  })

  it('a value that was cut is hidden if 48 characters of it are left', async () => {
    const long = 'a long value of a variable that nobody would write by chance, with an end'
    const { text: hide } = createRedactor({ NOTE: long })
    expect(await hide(`${long.slice(0, 60)}… and more`)).toBe('[redacted]… and more')
    expect(await hide(`${long.slice(0, 40)}… and more`)).toBe(`${long.slice(0, 40)}… and more`)
  })

  it('in several entries of a log', async () => {
    expect(await entries(['a', `b ${VALUE}`, 'c'])).toEqual(['a', 'b [redacted]', 'c'])
  })
})

describe('MA-24 short and plain values', () => {
  const { text: hide } = createRedactor({
    PIN_SECRET: 'zebra',
    DB_PASSWORD: 'abc',
    COLOR: 'teal',
    NODE_ENV: 'production',
    PORT_RANGE: '30003100',
    DATA_FOLDER: '/srv/data',
    LONG_WORD: 'rhinoceros',
  })

  it('of 4 to 7 characters are hidden as whole words, and only if the name means a secret', async () => {
    expect(await hide('zebra, zebras, "zebra" and teal')).toBe('[redacted], zebras, "[redacted]" and teal')
  })

  it('of 4 to 7 characters are hidden in hex, and from 6 on in Base64', async () => {
    const { text: redact6 } = createRedactor({ DB_PASS: 'kL9vRt' })
    expect(await redact6('u:kL9vRt is dTprTDl2UnQ= or 6b4c39765274')).toBe(
      'u:[redacted] is dT[redacted]= or [redacted]',
    )
    expect(await hide('7a65627261')).toBe('[redacted]')
  })

  it('under 4 characters and settings that tell nothing stay; others of 8 and more do not', async () => {
    const line = 'abc in production at /srv/data on 30003100'
    expect(await hide(line)).toBe(line)
    expect(await hide('arhinoceroses')).toBe('a[redacted]es')
  })
})

/** The most values that an app can have. A search of quadratic time takes hours, and then no test of this file ends. */
it.each([
  ['values of one letter', 'a'.repeat(32_767), 'a'],
  ['values that differ at their end', `${'ab'.repeat(16_000)}c`, 'ab'],
  ['escapes', 'x%41&amp;\\u0041'.repeat(100), '%41&amp;\\u0041'],
])('MA-24 a megabyte that nearly consists of %s is searched in linear time', async (_, value, piece) => {
  const variables = Object.fromEntries(Array.from({ length: 12 }, (__, n) => [`V${n}`, `${value}${n}`]))
  const search = createRedactor(variables)
  const text = piece.repeat(Math.ceil((1024 * 1024) / piece.length))
  expect(search.ownValues(`${text}\nend`).split('\n').at(-1)).toBe('end')
})
