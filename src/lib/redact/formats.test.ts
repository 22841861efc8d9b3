import { expect, it } from 'vitest'
import { SECRET_FORMATS } from '#test/secret-formats.ts'
import { createRedactor } from './redact.ts'

/** Lines of logs and source that look similar and must stay readable. */
const HARMLESS = [
  'pass: 12, fail: 3',
  'tests passed=41 in 3s',
  'compass=north bypass: true',
  'docker run -u 1000:1000 shop',
  'mkdir -p /srv/app && mysql_install_db',
  'GET http://shop.test:8080/orders?mail=none 200',
  "SyntaxError: Unexpected token 'export'",
  "log('no password ' + name + ' was found')",
  'password is required',
  'The password was incorrect for this user.',
  "if (typeof options.token !== 'string') throw new TypeError()",
  `headers: { authorization: 'Bearer \${token}' }`,
  'const key = keyOf(session)',
  'primary key: id, foreign key: order_id',
  'for (const [key, value] of Object.entries(pairs)) {}',
  'sort_key: created_at',
  'test_that_orders_are_paid_2_times()',
  'key_value_store.get(session_name)',
  'import { re_export } from "./token-list.js"',
  'cookie: { secure: true, httpOnly: true }',
  'expect(login).toBe(password)',
  'at Object.<anonymous> (/srv/app/src/auth/session-key.test.js:12:7)',
  'order 6f9619ff-8b86-4011-b42d-00cf4fc964ff was paid',
  'request_id=01JB4Z0Y7Q3W8X took 12 ms',
  '2026-11-18T05:00:00.000Z info checkout finished in 128 ms',
  '--token-limit 4000 --auth-mode none',
]

it('MA-24 secrets of public formats are hidden, and similar lines stay: prints recall and false positives', async () => {
  const { text: redact } = createRedactor({})
  const missed: string[] = []
  for (const [format, ...texts] of SECRET_FORMATS) {
    for (const marked of texts) {
      const secret = /‹(.*)›/s.exec(marked)![1]!
      const hidden = await redact(marked.replaceAll(/[‹›]/g, ''))
      if (hidden.includes(secret) || !hidden.includes('[redacted]')) missed.push(`${format}: ${hidden}`)
    }
  }
  const changed: string[] = []
  for (const line of HARMLESS) if ((await redact(line)) !== line) changed.push(`${line} => ${await redact(line)}`)
  console.log(
    `redaction: ${SECRET_FORMATS.length - missed.length} of ${SECRET_FORMATS.length} formats hidden, ` +
      `${changed.length} of ${HARMLESS.length} harmless lines changed`,
  )
  expect({ missed, changed }).toEqual({ missed: [], changed: [] })
})
