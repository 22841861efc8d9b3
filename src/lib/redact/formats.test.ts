import { expect, it } from 'vitest'
import { createRedactor } from './redact.ts'

const UPPER = 'Q7RK2ZPX9VLM4TTWC8YBN3SDF6GHJ5AEU1KOVX0B'
const LOWER = UPPER.toLowerCase()
const MIXED = 'q7Rk2ZpX9vLm4TtWc8YbN3sDf6GhJ5aEu1KoVx0BiQwRtYuPlMnB8vC'
const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const UUID = '6f9619ff-8b86-4011-b42d-00cf4fc964ff'
const DIGITS = '748201935562'

/** Written as text, with the secret in ‹›. Put together at run time, so that no scanner takes this file for a leak. */
const FORMATS: readonly (readonly [format: string, ...texts: string[]])[] = [
  // Names and values
  ['DB_PASS', 'DB_PASS=‹letmein-now›'],
  ['camel case behind another name', 'auth: userPass=‹letmein-now›'],
  ['PGPASS', 'PGPASS=‹wonder/land›'],
  ['PGPASSWORD', 'PGPASSWORD=‹wonder-land› psql -h db'],
  ['dbPass in JSON', '{"dbPass":"‹letmein-now›","port":5432}'],
  ['MYSQL_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD: ‹letmein9›'],
  ['UUID as a key', `HEROKU_KEY=‹${UUID}›`],
  ['UUID behind api-key', `api-key: ‹${UUID}›`],
  ['key that looks random', `ENCRYPTION="‹${LOWER.slice(0, 24)}›"`.replace('ENCRYPTION', 'LICENSE_KEY')],
  ['service and value', `DATADOG_APP=‹${LOWER.slice(0, 32)}›`],
  ['service in YAML', `  algolia: '‹${LOWER.slice(0, 32)}›'`],
  ['Go assignment', 'password := "‹correct horse›"'],
  ['comparison', 'if (secret !== "‹correct-horse›") deny()'],
  ['Rails', `secret_key_base: ‹${HEX}${HEX}›`],
  ['Azure storage', `AccountName=shop;AccountKey=‹${MIXED}${MIXED.slice(0, 20)}==›;`],
  ['Azure bus', `SharedAccessKey=‹${MIXED.slice(0, 43)}=›`],
  ['npmrc', `//registry.test/:_authToken=‹${UUID}›`],
  ['npmrc of a company', `_auth=‹${MIXED.slice(0, 20)}›`],
  ['WireGuard', `PrivateKey = ‹${MIXED.slice(0, 43)}=›`],
  ['XML', '<db><password>‹correct horse›</password></db>'],
  ['NuGet', '<add key="ClearTextPassword" value="‹correct horse›" />'],
  ['Kubernetes', `kind: Secret\ndata:\n  admin: ‹${MIXED.slice(0, 14)}==›`],
  // Command lines and files
  ['curl -u', 'curl -u shop:‹hunter2!› https://api.test'],
  ['curl --user', `curl --user "shop:‹hun/ter2›" https://api.test`],
  ['mysql -p', 'mysql -u root -p‹hunter2› shop'],
  ['mysqldump -p', "mysqldump --single-transaction -p'‹hunt/er2›' shop"],
  ['sshpass', 'sshpass -p ‹hunter2› ssh root@host.test'.replace('root@host.test', 'host')],
  ['redis-cli', 'redis-cli -h cache -a ‹hunter2x› ping'],
  ['--password', 'restore --password ‹hunter2x› --host db'],
  ['--api-key', `deploy --api-key ‹${LOWER.slice(0, 20)}›`],
  ['netrc', 'machine api.test login shop password ‹hunter2›'],
  ['pgpass', 'db.test:5432:shop:owner:‹hunt/er2›'],
  ['log prose', `signed in with password '‹hunter2›'`],
  ['log prose without quotes', 'new password is ‹hunter2x› for shop'],
  // Addresses
  ['address', 'postgres://shop:‹hunter2›@db.test/shop'],
  ['address with a slash', 'postgres://shop:‹hun/ter/2›@db.test/shop'],
  ['address without a name', 'redis://:‹hunter2›@cache.test:6379'],
  ['SAS', `https://shop.blob.test/a?sv=2024&se=1&sig=‹${MIXED.slice(0, 43)}%3D›`],
  ['AWS signature', `https://s3.test/a?X-Amz-Signature=‹${HEX}›`],
  ['key of an address', `https://maps.test/api?key=‹${MIXED.slice(0, 24)}›&q=a`],
  [
    'Slack hook',
    `https://hooks.slack.com/services/‹T${UPPER.slice(0, 8)}/B${UPPER.slice(0, 8)}/${MIXED.slice(0, 24)}›`,
  ],
  ['Discord hook', `https://discord.com/api/webhooks/‹${DIGITS}${DIGITS}/${MIXED}›`],
  // Headers
  ['X-Auth', 'X-Auth: ‹letmein-now›'],
  ['X-Auth-Token', `x-auth-token: ‹${LOWER.slice(0, 16)}›`],
  ['X-Api-Key', `"X-Api-Key": "‹${LOWER.slice(0, 16)}›"`],
  ['Bearer', `Authorization: Bearer ‹${MIXED}›`],
  ['Basic', `authorization: Basic ‹${MIXED.slice(0, 20)}=›`],
  ['another scheme', `Authorization: Token ‹${LOWER.slice(0, 20)}›`],
  ['Cookie', `Cookie: ‹sid=${LOWER.slice(0, 10)}; theme=dark›`],
  ['Set-Cookie', `Set-Cookie: ‹session=${LOWER.slice(0, 10)}; Path=/; HttpOnly›`],
  ['PRIVATE-TOKEN', `PRIVATE-TOKEN: ‹${LOWER.slice(0, 20)}›`],
  // Tokens by how they begin
  ...(
    [
      ['GitHub', 'ghp_', MIXED.slice(0, 36)],
      ['GitHub OAuth', 'gho_', MIXED.slice(0, 36)],
      ['GitHub app', 'ghs_', MIXED.slice(0, 36)],
      ['GitHub fine-grained', 'github_pat_', MIXED],
      ['GitLab', 'glpat-', MIXED.slice(0, 20)],
      ['GitLab runner', 'glrt-', MIXED.slice(0, 20)],
      ['npm', 'npm_', MIXED.slice(0, 36)],
      ['PyPI', 'pypi-AgEIcHlwaS5vcmc', MIXED],
      ['RubyGems', 'rubygems_', HEX.slice(0, 48)],
      ['Docker', 'dckr_pat_', MIXED.slice(0, 27)],
      ['AWS', 'AKIA', UPPER.slice(0, 16)],
      ['AWS session', 'ASIA', UPPER.slice(0, 16)],
      ['Google', 'AIza', MIXED.slice(0, 35)],
      ['Google OAuth', 'ya29.', MIXED],
      ['Google client', 'GOCSPX-', MIXED.slice(0, 28)],
      ['Alibaba', 'LTAI', MIXED.slice(0, 20)],
      ['DigitalOcean', 'dop_v1_', HEX],
      ['Vault', 'hvs.', MIXED + MIXED],
      ['Vault before 1.10', 's.', MIXED.slice(0, 24)],
      ['Databricks', 'dapi', HEX.slice(0, 32)],
      ['Doppler', 'dp.pt.', MIXED.slice(0, 43)],
      ['Pulumi', 'pul-', HEX.slice(0, 40)],
      ['Terraform', `${MIXED.slice(0, 14)}.atlasv1.`, MIXED],
      ['Fly', 'fo1_', MIXED.slice(0, 43)],
      ['Heroku', 'HRKU-AA', MIXED],
      ['Tailscale', 'tskey-auth-', MIXED.slice(0, 30)],
      ['Supabase', 'sbp_', HEX.slice(0, 40)],
      ['PlanetScale', 'pscale_tkn_', MIXED.slice(0, 40)],
      ['Postman', 'PMAK-', HEX.slice(0, 24)],
      ['New Relic', 'NRAK-', UPPER.slice(0, 27)],
      ['Grafana', 'glsa_', MIXED.slice(0, 32)],
      ['Dynatrace', 'dt0c01.', UPPER.slice(0, 24)],
      ['Sentry', 'sntryu_', HEX],
      ['Stripe', 'sk_live_', MIXED.slice(0, 24)],
      ['Stripe restricted', 'rk_test_', MIXED.slice(0, 24)],
      ['Stripe webhook', 'whsec_', MIXED.slice(0, 32)],
      ['Square', 'sq0atp-', MIXED.slice(0, 22)],
      ['Shopify', 'shpat_', HEX.slice(0, 32)],
      ['Plaid', 'access-production-', UUID],
      ['Twilio', 'SK', HEX.slice(0, 32)],
      ['Slack bot', 'xoxb-', `${DIGITS}-${MIXED.slice(0, 24)}`],
      ['Slack app', 'xapp-1-', `${UPPER.slice(0, 11)}-${DIGITS}`],
      ['SendGrid', 'SG.', `${MIXED.slice(0, 22)}.${MIXED.slice(0, 43)}`],
      ['Mailgun', 'key-', HEX.slice(0, 32)],
      ['Mailchimp', '', `${HEX.slice(0, 32)}-us12`],
      ['Brevo', 'xkeysib-', HEX],
      ['Telegram', '', `${DIGITS.slice(0, 9)}:AA${MIXED.slice(0, 33)}`],
      ['Discord', 'M', `${MIXED.slice(0, 23)}.${MIXED.slice(0, 6)}.${MIXED.slice(0, 27)}`],
      ['Notion', 'ntn_', DIGITS.slice(0, 11) + MIXED.slice(0, 35)],
      ['Linear', 'lin_api_', MIXED.slice(0, 40)],
      ['Typeform', 'tfp_', MIXED],
      ['OpenAI', 'sk-proj-', MIXED],
      ['Anthropic', 'sk-ant-api03-', MIXED],
      ['Hugging Face', 'hf_', 'abcdefghijklmnopqrstuvwxyzABCDEFGH'],
      ['Groq', 'gsk_', MIXED],
      ['Perplexity', 'pplx-', MIXED.slice(0, 48)],
      ['age', 'AGE-SECRET-KEY-1', UPPER],
      ['1Password', 'A3-', 'Q7RK2Z-PX9VLM4TTWC-8YBN3-SDF6G-HJ5AE'],
      ['Artifactory', 'AKCp', MIXED],
      ['OpenShift', 'sha256~', MIXED.slice(0, 43)],
      ['Azure client secret', 'abc8Q~', MIXED.slice(0, 32)],
      ['JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.', `eyJzdWIiOiIxIn0.${MIXED.slice(0, 43)}`],
      ['svc', 'svc_', MIXED.slice(0, 40)],
    ] as const
  ).map(([format, prefix, rest]) => [format, `calling with ‹${prefix}${rest}› now`] as const),
]

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
  for (const [format, ...texts] of FORMATS) {
    for (const marked of texts) {
      const secret = /‹(.*)›/s.exec(marked)![1]!
      const hidden = await redact(marked.replaceAll(/[‹›]/g, ''))
      if (hidden.includes(secret) || !hidden.includes('[redacted]')) missed.push(`${format}: ${hidden}`)
    }
  }
  const changed: string[] = []
  for (const line of HARMLESS) if ((await redact(line)) !== line) changed.push(`${line} => ${await redact(line)}`)
  console.log(
    `redaction: ${FORMATS.length - missed.length} of ${FORMATS.length} formats hidden, ` +
      `${changed.length} of ${HARMLESS.length} harmless lines changed`,
  )
  expect({ missed, changed }).toEqual({ missed: [], changed: [] })
})
