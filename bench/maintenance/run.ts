import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startOwnSystem } from '#test/programs/own-system.ts'
import { type Floor, requireFloors } from '../help/floors.ts'
import { measureCuts } from './cut.ts'
import { allModels, answerAny, answerOf } from './model/policies.ts'
import { startScriptedModels } from './model/server.ts'
import { type MovableClock, measureNights } from './nights.ts'
import { casesOf, measureOutcomes, type Settings } from './outcomes.ts'
import { measurePool } from './pool.ts'
import { scoreEndpoint } from './real.ts'
import { measureRepeats } from './repeats.ts'
import { hasSandbox, passesTest } from './sandbox.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { scoreDetectors } from './score-detectors.ts'

/**
 * Runs the maintenance agent over ten faults and their healthy twins, with models that follow scripts. Nothing is random
 * but for the seed. On Postgres if SVC_TEST_DATABASE_URL is set, or else on the embedded engine. With `--base-url` a model
 * of a real endpoint looks at the same apps, and is scored:
 *
 *   npm run bench:maintenance -- --base-url https://api.example/v1 --model name --key-env API_KEY --max-tokens 500000
 */
const { values: given } = parseArgs({
  options: {
    tenth: { type: 'boolean', default: false },
    'base-url': { type: 'string' },
    model: { type: 'string' },
    kind: { type: 'string', default: 'openai' },
    'key-env': { type: 'string' },
    'max-tokens': { type: 'string', default: '500000' },
  },
})
const SEED = 7
/** Enough for three scenarios. */
const CAP = 60_000
const settings: Settings = { scenarios: SCENARIOS, seed: SEED, now: new Date() }

if (given['base-url'] === undefined) await runScripted(given.tenth)
else await scoreEndpoint(endpointOf(given['base-url']), settings)

function endpointOf(baseUrl: string) {
  const { model, kind, 'key-env': keyName, 'max-tokens': maxTokens } = given
  if (model === undefined || (kind !== 'openai' && kind !== 'anthropic') || !(Number(maxTokens) > 0)) {
    throw new Error('--model NAME is required; --kind is openai or anthropic; --max-tokens is a number of tokens')
  }
  const apiKey = keyName === undefined ? undefined : process.env[keyName]
  if (keyName !== undefined && !apiKey) throw new Error(`${keyName} is not set`)
  return { baseUrl, model, kind, apiKey, maxTokens: Number(maxTokens) } as const
}

async function runScripted(isTenth: boolean): Promise<void> {
  const floors: Floor[] = testFixtures()
  await using models = await startScriptedModels((talk) => answerOf(SCENARIOS, talk))
  const names = allModels(SCENARIOS)
  const providers = [models.provider('openai', 'openai', names), models.provider('anthropic', 'anthropic', names)]
  const env = { SVC_AI_PROVIDERS: JSON.stringify(providers), SVC_AGENT_TOKENS_PER_DAY: '10000000' }
  {
    const clock = movableClock()
    await using system = await startOwnSystem(env, { clock })
    console.log(
      `${SCENARIOS.length} scenarios with twins, seed ${SEED}, on ${system.db.engine}; load ${loadavg()[0]!.toFixed(1)}`,
    )
    floors.push(...(await scoreDetectors(system, settings)))
    floors.push(...(await measureOutcomes(system, models, casesOf(SCENARIOS, isTenth), settings)))
    const some = isTenth ? SCENARIOS.slice(0, 1) : SCENARIOS
    floors.push(...(await measureRepeats(system, { ...settings, scenarios: some, repeats: isTenth ? 2 : 3 })))
    await measureCuts(system, models, { ...settings, rounds: isTenth ? 12 : 300 })
    floors.push(...(await measureNights(system, clock, settings)))
  }
  floors.push(...(await measurePool(models, env, settings)))
  floors.push(...(await measureCap()))
  requireFloors(floors)
}

/** Scores scripted models as if they were a real endpoint, with a cap that is too small for all twins. */
async function measureCap(): Promise<Floor[]> {
  await using models = await startScriptedModels((talk) => answerAny(SCENARIOS, talk))
  const endpoint = { baseUrl: models.baseUrl, model: 'any', kind: 'openai', apiKey: 'none', maxTokens: CAP } as const
  console.log(`\na real endpoint with a cap of ${CAP} tokens`)
  const { tokens, isCapped } = await scoreEndpoint(endpoint, settings)
  return [
    { name: 'tokens of an endpoint with a cap', value: tokens, atMost: CAP },
    { name: 'looks that the cap ended', value: Number(isCapped), atLeast: 1 },
  ]
}

/** Each hidden test must fail on the fault, and pass on the twin and on the change of an expert. */
function testFixtures(): Floor[] {
  if (!hasSandbox()) {
    console.log('hidden tests left out: bubblewrap does not work here')
    return []
  }
  const wrong = SCENARIOS.filter(({ hiddenTest, broken, clean, change }) => {
    if (hiddenTest === undefined) return false
    const files: Record<string, string> = { ...broken.files }
    for (const edit of change) files[edit.path] = files[edit.path]!.replace(edit.old, () => edit.new)
    const results = [broken.files, clean.files, files].map((one) => passesTest(one, hiddenTest))
    return results.join() !== 'false,true,true'
  })
  return [{ name: 'hidden tests that do not tell the twins apart', value: wrong.length, atMost: 0 }]
}

function movableClock(): MovableClock {
  let shift = 0
  return {
    now: () => new Date(Date.now() + shift),
    moveTo: (at) => {
      shift = at.getTime() - Date.now()
    },
  }
}
