import { sql } from '#lib/db/sql.ts'
import { startOwnSystem } from '#test/programs/own-system.ts'
import type { Floor } from '../help/floors.ts'
import { modelName } from './model/policies.ts'
import type { ScriptedModels } from './model/server.ts'
import type { Settings } from './outcomes.ts'
import { makeOwner, plant } from './plant.ts'
import { startRun, untilEnded } from './runs.ts'

const RUNS = 20
/** Each has four slots for runs. */
const WORKERS = 5
const BUDGET = 300_000
const TOOLS = ['check_states', 'log_templates', 'list_files', 'read_file', 'stage_edit', 'finish']
const MAX_STEPS = 16

type AiLoops = { readonly runAiLoops: (options: object) => Promise<{ readonly spent: number; readonly steps: number }> }

/**
 * Runs twenty runs at once on a pool that is too small for all of them, and then the loop of the package `ai` on the same
 * scripts, requests of the same size and the same budget.
 */
export async function measurePool(
  models: ScriptedModels,
  env: Record<string, string>,
  settings: Settings,
): Promise<Floor[]> {
  const scenario = settings.scenarios.find(({ name }) => name === 'profile')!
  const model = modelName('oracle', scenario, 'broken')
  const pooled = { ...env, SVC_AGENT_TOKENS_PER_DAY: String(BUDGET) }
  await using system = await startOwnSystem(pooled, { workers: WORKERS })
  const owner = await makeOwner(system, `openai/${model}`)
  const apps = []
  for (let n = 0; n < RUNS; n++) {
    apps.push(await plant(system, owner, { twin: scenario.broken, ...settings, alias: `app-${n}` }))
  }
  const before = models.served.length
  const runs = await Promise.all(apps.map(async (app) => untilEnded(app, await startRun(app))))
  const served = sumOf(models.served.slice(before))
  const booked = runs.reduce((sum, { tokens_spent }) => sum + tokens_spent, 0)
  const limited = runs.filter(({ outcome }) => outcome === 'budget_exhausted').length
  const [day] = await system.db.query<{ tokens: number }>(sql`
    select tokens from ai.agent_pool_days where org_id = ${owner.orgId}`)
  const peer = await runPeer(models, model, models.served.slice(before))
  const over = (spent: number) => `${Math.max(0, spent - BUDGET)} over (${((100 * spent) / BUDGET).toFixed(0)} %)`
  console.log(
    `${RUNS} runs at once on ${BUDGET} tokens: ${served} served, ${over(served)}, ${limited} stopped by the budget; ` +
      `the loop of ai: ${peer} served, ${over(peer)}`,
  )
  return [
    { name: 'tokens served of the pool', value: served / BUDGET, atMost: 1 },
    { name: 'tokens booked of those served', value: booked / served, atLeast: 1 },
    { name: 'tokens booked of those served', value: booked / served, atMost: 1 },
    {
      name: 'tokens of the pool that are gone, of those served',
      value: day!.tokens / served,
      atMost: 1,
    },
    { name: 'runs that the budget stopped', value: limited, atLeast: 1 },
  ]
}

function sumOf(served: ScriptedModels['served']): number {
  return served.reduce((sum, { input, output }) => sum + input + output, 0)
}

/** Its requests are as large as ours were: the first one is the prompt, and each result adds as much as ours did. */
async function runPeer(models: ScriptedModels, model: string, ours: ScriptedModels['served']): Promise<number> {
  const bytesAt = (step: number) =>
    Math.max(0, ...ours.filter((entry) => entry.step === step).map(({ body }) => body.length))
  const last = Math.max(...ours.map(({ step }) => step))
  const growth = Math.max(0, Math.floor((bytesAt(last) - bytesAt(0)) / Math.max(last, 1)))
  // TypeScript does not read this program, because the package is installed with the development dependencies only.
  const program: string = './peer/ai-loop.mjs'
  const { runAiLoops } = (await import(program)) as AiLoops
  const before = models.served.length
  await runAiLoops({
    baseUrl: models.baseUrl,
    apiKey: 'none',
    model,
    runs: RUNS,
    budget: BUDGET,
    maxSteps: MAX_STEPS,
    prompt: 'x'.repeat(bytesAt(0)),
    toolNames: TOOLS,
    toolResult: JSON.stringify({ evidence_id: 1, untrusted_data: 'x'.repeat(growth) }),
  })
  return sumOf(models.served.slice(before))
}
