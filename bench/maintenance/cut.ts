import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import type { System } from '#test/system.ts'
import { until } from '#test/until.ts'
import type { Floor } from '../help/floors.ts'
import { modelName } from './model/policies.ts'
import type { ScriptedModels } from './model/server.ts'
import type { Settings } from './outcomes.ts'
import { makeOwner, type PlantedApp, plant } from './plant.ts'
import { startRun, untilEnded } from './runs.ts'

/** As many as a worker has slots for runs. */
const APPS = 4

type Cut = { readonly fromRequest: number; readonly fromAnswer: number }

/** Switches the agent off while a model is asked, and measures when the connection to the model is closed. */
export async function measureCuts(
  system: System,
  models: ScriptedModels,
  settings: Settings & { readonly rounds: number },
): Promise<Floor[]> {
  const { rounds, scenarios } = settings
  const all = await Promise.all(
    scenarios.slice(0, APPS).map(async (scenario) => {
      const model = modelName('waiting', scenario, 'clean')
      const app = await plant(system, await makeOwner(system, `openai/${model}`), { twin: scenario.clean, ...settings })
      const cuts: Cut[] = []
      for (let round = 0; round < rounds / APPS; round++) cuts.push(await measureCut(models, app, model))
      return cuts
    }),
  )
  const cuts = all.flat()
  const afterAnswer = cuts.map(({ fromAnswer }) => fromAnswer)
  const line = (name: string, values: readonly number[]) =>
    `${name}: p50 ${at(values, 0.5)} ms, p99 ${at(values, 0.99)} ms, max ${at(values, 1)} ms`
  console.log(`a call of a model is cut after the switch, ${cuts.length} times`)
  console.log(
    `  ${line(
      'from the request',
      cuts.map(({ fromRequest }) => fromRequest),
    )}`,
  )
  console.log(`  ${line('from the answer', afterAnswer)} (goal 100)`)
  return []
}

async function measureCut(models: ScriptedModels, app: PlantedApp, model: string): Promise<Cut> {
  const { client, alias } = app
  await client.call(changeAppMaintenance, { alias, enabled: true })
  const before = models.served.length
  const executionId = await startRun(app)
  const asked = await until(() => models.served.slice(before).find((entry) => entry.model === model))
  const requested = performance.now()
  await client.call(changeAppMaintenance, { alias, enabled: false })
  const answered = performance.now()
  const closed = await until(() => asked.closedAt)
  const { terminal_code } = await untilEnded(app, executionId)
  if (terminal_code !== 'fenced_app_disabled') throw new Error(`the run ended as ${terminal_code}`)
  if (models.served.slice(before).filter((entry) => entry.model === model).length > 1) throw new Error('asked again')
  return { fromRequest: closed - requested, fromAnswer: Math.max(0, closed - answered) }
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1]!.toFixed(0)
}
