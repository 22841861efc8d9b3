import { passing } from './checks.ts'
import { DAY, type Line, type Scenario } from './scenario.ts'
import { access, atRandom, inOrder, integer, spread, together } from './traffic.ts'

const OLD = 'return { name: user.profile.displayName.trim(), orders: user.orders.length }'
const NEW = "return { name: user.profile?.displayName?.trim() ?? 'Guest', orders: user.orders.length }"

const files = (body: string) => ({
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "start": "node server.mjs" } }\n',
  'server.mjs': `import { createServer } from 'node:http'
import { findUser } from './lib/users.mjs'
import { showProfile } from './routes/profile.mjs'

createServer((request, response) => {
  const id = new URL(request.url, 'http://shop').searchParams.get('user')
  response.end(JSON.stringify(showProfile(findUser(id))))
}).listen(Number(process.env.PORT))
`,
  'lib/users.mjs': `const users = new Map([
  ['1', { profile: { displayName: 'Ada ' }, orders: [1, 2] }],
  ['2', { profile: null, orders: [] }],
])

export function findUser(id) {
  return users.get(id) ?? users.get('2')
}
`,
  'routes/profile.mjs': `/** People who have not filled in their profile have none. */
export function showProfile(user) {
  ${body}
}
`,
})

const stack = (minutesAgo: number, user: number): Line[] =>
  together(minutesAgo, [
    `GET /account?user=${user} 500 3ms`,
    "TypeError: Cannot read properties of null (reading 'displayName')",
    '    at showProfile (file:///app/routes/profile.mjs:3:36)',
    '    at Server.<anonymous> (file:///app/server.mjs:7:35)',
    '    at Server.emit (node:events:508:28)',
    '    at parserOnIncoming (node:_http_server:1153:12)',
  ])

/** A route fails for people without a profile. */
export const profile: Scenario = {
  name: 'profile',
  summary: 'The account page fails for people who have no profile.',
  template: "TypeError: Cannot read properties of null (reading 'displayName')",
  broken: {
    files: files(OLD),
    logs: (random) =>
      inOrder(
        spread(900, DAY, () => access(random)),
        atRandom(random, 14).flatMap((minutesAgo) => stack(minutesAgo, integer(random, 100, 999))),
      ),
    checks: [passing('front page', '/')],
  },
  clean: {
    files: files(NEW),
    logs: (random) => spread(900, DAY, () => access(random)),
    checks: [passing('front page', '/')],
  },
  expected: { outcome: 'proposed', kind: 'error_in_code', path: 'routes/profile.mjs' },
  change: [{ path: 'routes/profile.mjs', old: OLD, new: NEW }],
  hiddenTest: `import { showProfile } from './routes/profile.mjs'
const guest = showProfile({ profile: null, orders: [] })
if (guest.orders !== 0) throw new Error('a person without a profile has no orders')
if (showProfile({ profile: { displayName: 'Ada ' }, orders: [1] }).name !== 'Ada') throw new Error('the name is gone')
`,
}
