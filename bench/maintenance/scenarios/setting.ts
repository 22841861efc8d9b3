import { failingSince, passing } from './checks.ts'
import { DAY, HOUR, type Line, type Scenario } from './scenario.ts'
import { access, inOrder, onStderr, spread, together } from './traffic.ts'

const SECRET = 'whsec_5f1c0b7a9e3d4c2f8b6a7d9e0c1f2a3b'

const files = {
  'package.json': '{ "name": "mailer", "type": "module" }\n',
  '.env.production': `HOOK_SECRET=${SECRET}\nQUEUE_NAME=mail\n`,
  'config.mjs': `function required(name) {
  const value = process.env[name]
  if (!value) throw new Error(name + ' is not set')
  return value
}

export const config = { mailRelay: required('MAIL_RELAY_URL'), queue: process.env.QUEUE_NAME ?? 'mail' }
`,
  'main.mjs': `import { config } from './config.mjs'
console.log('sending mail through', new URL(config.mailRelay).host)
`,
}

/** The app ends as soon as it is started, and is started again. */
const crash = (minutesAgo: number): Line[] =>
  onStderr(minutesAgo, [
    'file:///app/config.mjs:3',
    `  if (!value) throw new Error(name + ' is not set')`,
    '                    ^',
    '',
    'Error: MAIL_RELAY_URL is not set',
    '    at required (file:///app/config.mjs:3:21)',
    '    at file:///app/config.mjs:7:35',
    '    at ModuleJob.run (node:internal/modules/esm/module_job:413:25)',
    '',
    'Node.js v24.21.0',
  ])

const lines = (random: () => number) =>
  inOrder(
    spread(500, DAY, () => access(random)).filter(({ minutesAgo }) => minutesAgo > 3 * HOUR),
    together(3 * HOUR, ['sending mail through relay.example']),
  )

/** A variable that the newest revision needs was not set. */
export const setting: Scenario = {
  name: 'setting',
  summary: 'MAIL_RELAY_URL is not set since the last deploy, so the app ends at its start.',
  template: 'Error: MAIL_RELAY_URL is not set',
  broken: {
    files,
    logs: (random) =>
      inOrder(lines(random).slice(0, -1), Array.from({ length: 12 }, (_, i) => crash(2.9 * HOUR - i * 10)).flat()),
    checks: [failingSince('up', '/', 2.9 * HOUR, 'the app does not run')],
  },
  clean: { files, logs: lines, checks: [passing('up', '/')] },
  expected: { outcome: 'finding_recorded', kind: 'config', path: 'config.mjs' },
  change: [],
  secrets: [SECRET],
}
