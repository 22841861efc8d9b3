import { setTimeout as wait } from 'node:timers/promises'
import { endAgentConnection, listAgents } from '#contract/auth/agents.ts'
import type { Before, Computer } from './computers/computer.ts'
import { ANSWER } from './model/reply.ts'
import { lastOf } from './place.ts'
import type { AgentName } from './versions.ts'
import { type AnyAgent, type Installed, openWorld, SDK, type World } from './world.ts'

/**
 * Lets each agent ask three times in one session, with a fault before the second question that has passed before the
 * third, and once more in a new session. Prints a line for each agent and fault. Arguments as of connect.ts.
 */
const [folder = '', installed = '{}'] = process.argv.slice(2)
// Longer than the time before the expiry at which Codex refreshes (30 s).
const SHORT_SECONDS = 45
// The lifetime of the product. With a short one Gemini CLI refreshes at each request, and would meet each fault with it.
const USUAL_SECONDS = 600
const SILENT_MS = 4_000
const GONE_MS = 4_000

type Fault = 'restart' | 'token expires' | 'network breaks' | 'connection ended'
const agents: AnyAgent[] = [...(Object.keys(JSON.parse(installed) as Installed) as AgentName[]), SDK]
await using stack = new AsyncDisposableStack()
const world = await openWorld(stack, {
  folder,
  installed: JSON.parse(installed) as Installed,
  tokenSeconds: SHORT_SECONDS,
})
for (const agent of agents) await tryAgent(agent)

async function tryAgent(agent: AnyAgent): Promise<void> {
  const computer = world.computer(agent)
  try {
    await restartWith(SHORT_SECONDS)
    await computer.login()
    for (const [fault, before] of Object.entries(faultsOf(world)) as [Fault, Before][])
      await tryFault(agent, computer, fault, before)
  } catch (error) {
    process.exitCode = 1
    console.log(`${agent} | not connected: ${lastOf(String(error))}`)
  }
}

async function tryFault(agent: AnyAgent, computer: Computer, fault: Fault, before: Before): Promise<void> {
  const [logins, opens] = [computer.logins(), computer.opensInVain()]
  const [, during, after] = await computer.ask(3, before).catch((error: unknown) => ['', String(error)])
  const inSession = computer.logins() - logins
  if (fault === 'token expires') await expire()
  const [next] = await computer.ask().catch((error: unknown) => [String(error)])
  const asked = computer.logins() - logins
  const cells = [`during: ${outcomeOf(during)}`, `after: ${outcomeOf(after)}`, `new session: ${outcomeOf(next)}`]
  const inVain = computer.opensInVain() - opens
  const vain = inVain > 0 ? [`${inVain} pages opened in vain`] : []
  const line = [
    agent,
    fault,
    ...cells,
    `logins: ${inSession} in the session, ${asked - inSession} in the new one`,
    ...vain,
  ]
  console.log(line.join(' | '))
  if (fault !== 'connection ended' && (asked > 0 || !next?.includes(ANSWER))) process.exitCode = 1
  if (fault === 'connection ended') await loginAgain(agent, computer)
  if (fault === 'token expires') await passToUsualLifetime(computer)
}

async function restartWith(tokenSeconds: number): Promise<void> {
  await world.server.stop('SIGTERM')
  await world.server.start({ tokenSeconds })
}

/** Waits until the last short token has expired, so that the agent takes one of the usual lifetime. */
async function passToUsualLifetime(computer: Computer): Promise<void> {
  await restartWith(USUAL_SECONDS)
  await expire()
  await computer.ask().catch(() => undefined)
}

async function loginAgain(agent: AnyAgent, computer: Computer): Promise<void> {
  await computer.login().catch((error: unknown) => console.log(`${agent} | login again: ${lastOf(String(error))}`))
  const [answer] = await computer.ask().catch((error: unknown) => [String(error)])
  console.log(`${agent} | connected again | ${outcomeOf(answer)}`)
  if (!answer?.includes(ANSWER)) process.exitCode = 1
}

function outcomeOf(result = 'not asked'): string {
  return result.includes(ANSWER) ? 'answered' : `"${lastOf(result)}"`
}

function faultsOf({ server, owner }: World): Record<Fault, Before> {
  let passed = Promise.resolve()
  const startsAndEnds =
    (begin: () => Promise<void>, end: () => Promise<void>): Before =>
    async (question) => {
      if (question !== 1) return passed
      await begin()
      passed = end()
    }
  return {
    'token expires': async (question) => (question === 1 ? expire() : undefined),
    restart: startsAndEnds(
      () => server.stop('SIGKILL'),
      () => server.start(),
    ),
    'network breaks': startsAndEnds(
      async () => server.relay.pause(),
      async () => {
        await wait(SILENT_MS)
        await server.relay.cut()
        await wait(GONE_MS)
        server.relay.resume()
        await server.relay.restore()
      },
    ),
    'connection ended': async (question) => {
      if (question !== 1) return
      const { items } = await owner.call(listAgents, {})
      for (const { id } of items) await owner.call(endAgentConnection, { id })
    },
  }
}

/** Waits until every access token that was issued so far has expired. */
async function expire(): Promise<void> {
  await wait((SHORT_SECONDS + 1) * 1000)
}
