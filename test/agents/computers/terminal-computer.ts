import { AGENTS, type CommandAgent } from '../agents.ts'
import type { ScriptedModel } from '../model/scripted-model.ts'
import { lastOf, type Place } from '../place.ts'
import type { Before, Computer } from './computer.ts'

/** An agent may send a request to its model again. */
function once(before: Before): Before {
  const begun: Promise<void>[] = []
  return (question) => (begun[question] ??= before(question))
}

type Deps = { agent: CommandAgent; place: Place; model: ScriptedModel; url: string }

/** A computer whose agent is a command with a scripted model, or one that calls a tool itself. */
export function terminalComputer({ agent, place, model, url }: Deps): Computer {
  const { ask, oauth, callsItself, ...own } = AGENTS[agent]
  const files = own.model(model.url).files ?? []
  let isSetUp = false
  const askOnce = async () => (await place.take({ run: ask })).output
  return {
    logins: place.logins,
    opensInVain: place.opensInVain,
    login: async () => {
      // The last step of each agent is the one that logs in, and the others are done once.
      const steps = isSetUp ? oauth(url).slice(-1) : [...files, ...oauth(url)]
      isSetUp = true
      for (const step of steps) {
        const { code, output } = await place.take(step)
        if ('run' in step && code !== (step.exit ?? 0))
          throw new Error(`"${step.run}" ended with ${code}: ${lastOf(output)}`)
      }
    },
    ask: async (times = 1, before = async () => {}) => {
      if (times === 1) return [await askOnce()]
      const results: string[] = []
      if (callsItself) {
        for (let question = 0; question < times; question += 1) {
          if (question > 0) await before(question)
          results.push(await askOnce())
        }
        return results
      }
      model.play({ times, before: once(before), onResults: (soFar) => void results.splice(0, soFar.length, ...soFar) })
      const output = await askOnce().finally(() => model.play())
      return Array.from({ length: times }, (_, question) => results[question] ?? `not asked: ${lastOf(output)}`)
    },
  }
}
