import { setTimeout as wait } from 'node:timers/promises'
import { sdkComputer } from './computers/sdk-computer.ts'
import { ANSWER } from './model/reply.ts'
import { openWorld } from './world.ts'

/**
 * Connects as Cursor does, which cannot be run without a desktop: registers its redirect URI, authorizes, has the
 * person approve, takes the code at that address, redeems it, and refreshes. Argument: a folder for everything.
 */
const [folder = ''] = process.argv.slice(2)
const REDIRECT = 'cursor://anysphere.cursor-mcp/oauth/callback'
const TOKEN_SECONDS = 5

await using stack = new AsyncDisposableStack()
const { server, person } = await openWorld(stack, { folder, installed: {}, tokenSeconds: TOKEN_SECONDS })
const cursor = sdkComputer({ person, url: `${server.url}/mcp/platform`, redirectUri: REDIRECT, name: 'Cursor' })
await cursor.login()
const first = cursor.tokens()?.refresh_token
const [answer = ''] = await cursor.ask()
await wait((TOKEN_SECONDS + 1) * 1000)
const [later = ''] = await cursor.ask()
const isRefreshed = first !== undefined && first !== cursor.tokens()?.refresh_token
const steps = {
  'code came to': `${cursor.redirected()?.protocol}//${cursor.redirected()?.host}${cursor.redirected()?.pathname}`,
  answered: answer.includes(ANSWER),
  refreshed: isRefreshed,
  'answered after the refresh': later.includes(ANSWER),
  logins: cursor.logins(),
}
console.log(
  `Cursor, scripted | ${Object.entries(steps)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' | ')}`,
)
const isRight = steps.answered && isRefreshed && steps['answered after the refresh'] && steps.logins === 1
if (!isRight || steps['code came to'] !== REDIRECT) process.exitCode = 1
