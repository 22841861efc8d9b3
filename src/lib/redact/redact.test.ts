import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countTurns } from '#test/count-turns.ts'
import { createRedactor } from './redact.ts'

const { text: redactText, entries: redactEntries } = createRedactor({})

/** Put together here, so that no scanner takes this file for a leak. */
const joined = (...parts: string[]) => parts.join('')
const RANDOM = 'q7Rk2ZpX9vLm4TtWc8YbN3sDf6GhJ5aEu1KoVx0BiQw'
const GITHUB = joined('gh', 'p_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx')
const AWS = joined('AKIA', 'IOSFODNN7EXAMPLE')
const JWT = joined('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl')
const SVC = joined('svc', '_', 'a1B2c3D4e5'.repeat(5).slice(0, 49))
const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

describe('MA-14 a secret is hidden', () => {
  it.each([
    ['a bearer token', 'authorization: Bearer abcdefgh12345678', 'authorization: Bearer [redacted]'],
    ['a JWT', `user ${JWT} signed in`, 'user [redacted] signed in'],
    ['a password in a setting', 'DB_PASSWORD=letmein ok', 'DB_PASSWORD=[redacted] ok'],
    ['a password in JSON', '{"password":"correct horse"}', '{"password":"[redacted]"}'],
    ['a password in quoted JSON', String.raw`{\"password\":\"hunter2!\"}`, String.raw`{\"password\":\"[redacted]\"}`],
    ['a password in YAML', 'db:\n  password: letmein\n', 'db:\n  password: [redacted]\n'],
    ['a password in code', `const secret = 's3cret-value'`, `const secret = '[redacted]'`],
    ['a comparison with a password', `if (token === "abcd-efgh") go()`, `if (token === "[redacted]") go()`],
    ['a query parameter', 'GET /pay?token=abcd1234&x=1', 'GET /pay?token=[redacted]&x=1'],
    ['a password in an address', 'https://app:hunter2@db.test/x', '[redacted]/x'],
    ['an AWS key id', `key ${AWS}`, 'key [redacted]'],
    ['a GitHub token', `push with ${GITHUB}`, 'push with [redacted]'],
    ['a token of svc', `called with ${SVC}`, 'called with [redacted]'],
    ['a token of a run', 'svcrun.exe_01J.17.abcdef', '[redacted]'],
    ['an e-mail address', 'mail to Ada.Lovelace+x@example.co.uk failed', 'mail to [redacted] failed'],
    ['a card number', 'card 4111 1111 1111 1111 refused', 'card [redacted] refused'],
    ['random text', `key is ${RANDOM}`, 'key is [redacted]'],
    ['a key in hex', `key is ${HEX}`, 'key is [redacted]'],
    [
      'one behind a comment that switches secretlint off',
      `${GITHUB} // secretlint-disable-line`,
      '[redacted] // secretlint-disable-line',
    ],
  ])('%s', async (_, text, expected) => {
    expect(await redactText(text)).toBe(expected)
  })

  it('a private key disappears whole, and the lines keep their numbers', async () => {
    const body = randomBytes(96)
      .toString('base64')
      .replaceAll(/(.{40})/g, '$1\n')
    const text = `a\n-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----\nb`
    const masked = await redactText(text)
    expect(masked.split('\n')).toHaveLength(text.split('\n').length)
    expect(masked).toMatch(/^a\n(?:\[redacted\]\n)+b$/)
  })

  it('a private key without an end is hidden to the end of the text', async () => {
    expect(await redactText('x -----BEGIN PRIVATE KEY-----\nMIIEvQ\nshort')).toBe(
      'x [redacted]\n[redacted]\n[redacted]',
    )
  })

  it('a private key that a program logged line by line is hidden in each entry', async () => {
    const body = Array.from({ length: 5 }, () => randomBytes(30).toString('base64'))
    const entries = ['starting', '-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----', 'started']
    expect(await redactEntries(entries)).toEqual(['starting', ...Array(7).fill('[redacted]'), 'started'])
  })
})

describe('MA-14 what is no secret stays readable', () => {
  it.each([
    `const token = readToken(request)`,
    `  token: string`,
    `password: z.string().min(8)`,
    `const { token } = request.headers`,
    `items.map((token) => token.value)`,
    `token=process.env.API_TOKEN`,
    `max_tokens: 2000`,
    `at listProducts (/srv/app/releases/Release20261116/src/routes/products/list-products.js:12:7)`,
    `TypeError: Cannot read properties of undefined (reading 'price')`,
    `GET /orders/1234567890123 took 1700000000000 ms`,
    `import { a } from '@scope/package'`,
    `getUserProfileByIdAndOrganizationOrThrowAnError2()`,
  ])('%s', async (text) => {
    expect(await redactText(text)).toBe(text)
  })
})

const HOSTILE = [' ', 'a', '-----BEGIN PRIVATE KEY-----', '-----END ', 'eyJ-', 'token', 'token=', 'bearer ', '://a:']
const WRITTEN = ['-u a:', 'mysql -p', '--a-', 'x-auth: ', '?sig=', 'cookie=a=', 'lob,']
const MORE_HOSTILE = ['a@', '4 ', 'password: "', 'a.', '0f', 'aB3/', 'sk-', 'svc_']

// A rule of quadratic time takes minutes, and then no test of this file ends in time. Rules meet chunks of 40 KB, so that
// some chunks show what a megabyte would; keys are searched in the whole text.
it.each([...HOSTILE, ...MORE_HOSTILE, ...WRITTEN])('MA-14 160 KB of %j keep their lines', async (piece) => {
  await expectLines(piece, 160 * 1024)
})

it.each(['-----BEGIN PRIVATE KEY-----', '-----END ', '-----BEGIN '])(
  'MA-14 a megabyte of %j keeps its lines',
  (piece) => expectLines(piece, 1024 * 1024),
)

async function expectLines(piece: string, characters: number): Promise<void> {
  const line = piece.repeat(Math.ceil(characters / piece.length))
  expect((await redactText(`${line}\nend`)).split('\n')).toHaveLength(2)
}

it('MA-14 a search leaves nothing behind in the process', async () => {
  const before = performance.getEntries().length
  for (let search = 0; search < 3; search++) await redactText(`push with ${GITHUB}`)
  expect(performance.getEntries()).toHaveLength(before)
})

describe('MA-14 a log of a megabyte', () => {
  const lines = Array.from({ length: 12_000 }, (_, n) => `order ${n} paid with token=abcdefg${n} by a${n}@example.com`)

  it('is searched in parts, between which other work of the process goes on', async () => {
    await redactText('loads the packages')
    const { result, turns } = await countTurns(() => redactEntries(lines))
    expect(result).toHaveLength(12_000)
    expect(result.every((text, n) => text === `order ${n} paid with token=[redacted] by [redacted]`)).toBe(true)
    expect(turns).toBeGreaterThan(10)
  })

  it('hides a key that is cut by the parts', async () => {
    const body = Array.from({ length: 200 }, (_, n) => `line ${n} of a key`)
    const key = [joined('-----BEGIN', ' PRIVATE KEY-----'), ...body, joined('-----END', ' PRIVATE KEY-----')]
    const hidden = await redactEntries([...lines.slice(0, 600), ...key, ...lines.slice(600)])
    expect(hidden.slice(600, 802)).toEqual(Array(202).fill('[redacted]'))
  })
})
