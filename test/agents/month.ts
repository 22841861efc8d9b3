import { setTimeout as wait } from 'node:timers/promises'
import type { Computer } from './computers/computer.ts'
import { ANSWER } from './model/reply.ts'
import { lastOf } from './place.ts'
import type { AgentName } from './versions.ts'
import { type AnyAgent, type Installed, openWorld, SDK } from './world.ts'

/**
 * Lets agents on two computers each work through the days of a month, with windows that refresh at once, restarts and
 * kills of the server. A day is as long as an access token is valid and a little more: real agents compare its expiry
 * with the clock of the machine, so the server's clock cannot be set forward alone. Arguments as of connect.ts, and the
 * number of days. Fails if anybody had to log in more than once on a computer.
 */
const [folder = '', names = '{}', days = '29'] = process.argv.slice(2)
// Longer than the time before the expiry at which agents refresh: Claude Code 300 s, mcp-remote 60 s, Codex 30 s. With
// less, each of their requests would refresh, and windows of one computer would overwrite each other's tokens in its file,
// which no lifetime of the product causes.
const TOKEN_SECONDS = 330
const NIGHT_MS = (TOKEN_SECONDS + 5) * 1000
const WINDOWS = 2

type Desk = { agent: AnyAgent; computer: Computer; isLaptop: boolean }
type Counts = { sessions: number; answered: number; cutOff: number; unanswered: string[] }

const installed = JSON.parse(names) as Installed
const agents: AnyAgent[] = [...(Object.keys(installed) as AgentName[]), SDK]
const counts = new Map(
  agents.map((agent): [AnyAgent, Counts] => [agent, { sessions: 0, answered: 0, cutOff: 0, unanswered: [] }]),
)
const ends = { kills: 0, killsAtWork: 0, restarts: 0 }
await using stack = new AsyncDisposableStack()
const world = await openWorld(stack, { folder, installed, tokenSeconds: TOKEN_SECONDS })
const desks: Desk[] = agents.flatMap((agent) =>
  [true, false].map((isLaptop) => ({ agent, isLaptop, computer: world.computer(agent) })),
)
for (const { agent, computer } of desks) {
  await computer.login().catch((cause: unknown) => {
    throw new Error(`${agent} is not connected`, { cause })
  })
}
for (let day = 1; day <= Number(days); day += 1) await passDay(day)
await report()

/** Overnight all tokens expire and the server is gone. Every third day it is also killed at work. */
async function passDay(day: number): Promise<void> {
  const isKilled = day % 2 === 0
  await wait(NIGHT_MS)
  await restart(isKilled ? 'SIGKILL' : 'SIGTERM')
  ends[isKilled ? 'kills' : 'restarts'] += 1
  const present = desks.filter(({ isLaptop }) => !isLaptop || day % 7 < 5)
  for (const agent of agents) {
    const own = present.filter((desk) => desk.agent === agent)
    await (day % 3 === 0 ? killAtWork(own, day) : Promise.all(own.map((desk) => openWindows(desk, 'unanswered', day))))
  }
  console.log(`day ${day}`)
}

/** People ask again as soon as their windows have failed: a refresh whose answer was lost can be repeated for 30 seconds. */
async function killAtWork(own: readonly Desk[], day: number): Promise<void> {
  const restarted = Promise.withResolvers<void>()
  const work = own.map(async (desk) => {
    await openWindows(desk, 'cutOff', day)
    await restarted.promise
    await openWindows(desk, 'unanswered', day)
  })
  await wait(500 + 250 * (day % 7))
  restarted.resolve(restart('SIGKILL'))
  ends.killsAtWork += 1
  await Promise.all(work)
}

async function restart(how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await world.server.stop(how)
  await world.server.start()
}

/** Opens windows of the agent at once. Each finds the expired token and refreshes it. */
async function openWindows({ agent, computer }: Desk, onFailure: 'cutOff' | 'unanswered', day: number): Promise<void> {
  const count = counts.get(agent)!
  const results = await Promise.all(
    Array.from({ length: WINDOWS }, () => computer.ask().catch((error: unknown) => [String(error)])),
  )
  for (const [result = ''] of results) {
    count.sessions += 1
    if (result.includes(ANSWER)) count.answered += 1
    else if (onFailure === 'cutOff') count.cutOff += 1
    else count.unanswered.push(`day ${day}: ${lastOf(result)}`)
  }
}

/** An agent without a terminal does not open the browser when it was logged out, so each has to answer once more. */
async function report(): Promise<void> {
  console.log(`${days} days of ${NIGHT_MS / 1000} s and the work in them, access tokens of ${TOKEN_SECONDS} s`)
  console.log(`server: ${ends.restarts} restarts, ${ends.kills} kills overnight, ${ends.killsAtWork} kills at work`)
  for (const [agent, { sessions, answered, cutOff, unanswered }] of counts) {
    const own = desks.filter((desk) => desk.agent === agent).map(({ computer }) => computer)
    const logins = own.map((computer) => computer.logins())
    const answers = await Promise.all(own.map((computer) => computer.ask().catch((error: unknown) => [String(error)])))
    const isConnected = answers.map(([answer = '']) => answer.includes(ANSWER))
    const inVain = own.reduce((sum, computer) => sum + computer.opensInVain(), 0)
    const line =
      `${sessions} sessions, ${answered} answered, ${cutOff} cut off by a kill, ${unanswered.length} unanswered, ` +
      `${inVain} pages opened in vain`
    console.log(`${agent} | logins: ${logins.join(' and ')} | connected: ${isConnected.join(' and ')} | ${line}`)
    for (const text of unanswered) console.log(`  unanswered: ${text}`)
    if (logins.some((times) => times !== 1) || isConnected.includes(false)) process.exitCode = 1
  }
}
