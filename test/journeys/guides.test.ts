import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GuideCommand, readCommands } from '../guides/commands.ts'
import { fillIn } from '../guides/fill-in.ts'
import { isListed, NOT_RUN, RUN_BY } from '../guides/not-run.ts'
import { type Ran, Reader } from '../guides/reader.ts'
import { type Scene, startScene } from '../guides/scene.ts'
import { GUIDES } from '../guides/steps.ts'

const COMMANDS = readCommands()

/** A person who follows the guides in a folder of their own, word for word, with their own addresses and ids. */
describe('the commands of the guides, in their order', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene?.[Symbol.asyncDispose]())

  it.each(GUIDES)('OP-11 $page', async ({ page, fill = {}, before = {}, exits = {}, answers = {}, logins }) => {
    const { SVC_API_URL, SVC_API_KEY, ...withLogin } = scene.env
    const more = { URL: SVC_API_URL!, KEY: SVC_API_KEY!, BASE_URL: SVC_API_URL!, TOKEN: SVC_API_KEY! }
    const operator = { SVC_OPERATOR_TOKEN: scene.system.config.secrets.operatorToken! }
    const reader = new Reader({ folder: scene.folder, env: { ...scene.env, ...more, ...operator } })
    const loggedIn = new Reader({ folder: scene.folder, env: withLogin })
    const failures: string[] = []
    let last: Ran | undefined
    for (const { text, line } of commandsToRun(page)) {
      for (const [start, step] of Object.entries(before)) if (text.startsWith(start)) await step(scene)
      const own = Object.entries(fill).reduce((all, [from, to]) => all.replaceAll(from, to), text)
      const command = await fillIn(own, scene, last?.stdout ?? '')
      const [, answer] = Object.entries(answers).find(([start]) => text.startsWith(start)) ?? []
      last = await (logins?.test(text) ? loggedIn : reader).run(command, answer)
      const allowed = Object.entries(exits).filter(([start]) => text.startsWith(start))
      if (![0, ...allowed.map(([, exit]) => exit)].includes(last.exit) || isRefusal(text, last.stdout))
        failures.push(`${line}: ${command}: exit ${last.exit}: ${last.stderr}${last.stdout.slice(0, 300)}`)
    }
    expect(failures).toEqual([])
  })
})

/** The form of a command that asks is left out where the guide has the one with --yes next to it. */
function commandsToRun(page: string): GuideCommand[] {
  return COMMANDS.filter((command, at) => {
    if (command.page !== page || [...NOT_RUN, ...RUN_BY].some((listed) => isListed(command, listed))) return false
    return COMMANDS[at + 1]?.text !== `${command.text} --yes`
  })
}

/** curl ends with 0 also where the server refused. */
function isRefusal(command: string, stdout: string): boolean {
  return /\bcurl\b/.test(command) && stdout.includes('urn:svc:problem:')
}
