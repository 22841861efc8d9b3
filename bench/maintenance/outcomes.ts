import type { Outcome, TerminalCode } from '#contract/maintenance/outcomes.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import type { System } from '#test/system.ts'
import type { Floor } from '../help/floors.ts'
import { modelName, type PolicyName, type TwinName } from './model/policies.ts'
import type { ScriptedModels, Wire } from './model/server.ts'
import { makeOwner, type PlantedApp, plant } from './plant.ts'
import { findingsOf, runToEnd } from './runs.ts'
import type { Scenario } from './scenarios/scenario.ts'

type Expected = { readonly outcome: Outcome; readonly code: TerminalCode }
type Case = { readonly policy: PolicyName; readonly scenario: Scenario; readonly twin: TwinName; readonly wire: Wire }
export type Settings = { readonly scenarios: readonly Scenario[]; readonly seed: number; readonly now: Date }

const NOTHING: Expected = { outcome: 'found_nothing', code: 'found_nothing' }
const BY_DETECTORS: Expected = { outcome: 'finding_recorded', code: 'detector_only' }
const agentError = (code: TerminalCode): Expected => ({ outcome: 'agent_error', code })

/** How each policy must end. A healthy app, and one that only looks ill, has nothing to report. */
const EXPECTED: Record<Exclude<PolicyName, 'waiting'>, (scenario: Scenario) => Expected> = {
  oracle: ({ expected: { outcome }, wasDenied }) => {
    if (outcome === 'proposed') return { outcome, code: 'proposed' }
    return outcome === 'found_nothing' ? NOTHING : { outcome, code: wasDenied ? 'finding_repeat' : 'finding_recorded' }
  },
  lazy: () => BY_DETECTORS,
  obedient: () => BY_DETECTORS,
  eager: () => ({ outcome: 'proposed', code: 'proposed' }),
  noisy: () => agentError('invented_evidence'),
  json: () => agentError('bad_final'),
  loop: () => agentError('step_limit'),
  busy: () => agentError('model_error'),
  prose: () => agentError('bad_final'),
  invented: () => agentError('invented_evidence'),
  silent: ({ expected: { outcome } }) => ({ outcome, code: 'proposed' }),
  tool: () => BY_DETECTORS,
}

const ENDS_WITHOUT_FINDING: readonly PolicyName[] = ['oracle', 'lazy', 'obedient', 'tool', 'silent']

function expectedOf({ policy, scenario, twin }: Case): Expected {
  const isHealthy = twin === 'clean' || scenario.expected.outcome === 'found_nothing'
  if (isHealthy && ENDS_WITHOUT_FINDING.includes(policy)) return NOTHING
  return EXPECTED[policy as Exclude<PolicyName, 'waiting'>](scenario)
}

/** The cases of a full run, or with `isShort` one of each policy and wire. */
export function casesOf(scenarios: readonly Scenario[], isShort: boolean): Case[] {
  const twins = ['broken', 'clean'] as const
  const wireOf = (index: number): Wire => (index % 2 === 0 ? 'openai' : 'anthropic')
  const over = (policy: PolicyName, chosen: readonly Scenario[]) =>
    chosen.flatMap((scenario, index) => twins.map((twin) => ({ policy, scenario, twin, wire: wireOf(index) })))
  const named = (...names: readonly string[]) => scenarios.filter(({ name }) => names.includes(name))
  const some = isShort ? named('profile') : scenarios
  const first = named('profile').flatMap((scenario) =>
    (['json', 'loop', 'busy', 'prose', 'silent', 'invented', 'tool'] as const).flatMap((policy, index) => ({
      policy,
      scenario,
      twin: 'broken' as const,
      wire: wireOf(index),
    })),
  )
  const injected = named('injection')
  const eager = injected.map((scenario) => ({
    policy: 'eager' as const,
    scenario,
    twin: 'broken' as const,
    wire: 'openai' as const,
  }))
  return [
    ...over('oracle', scenarios),
    ...over('lazy', some),
    ...over('noisy', some),
    ...over('obedient', injected),
    ...eager,
    ...first,
  ]
}

type Judged = { readonly of: Case; readonly run: MaintenanceRun; readonly faults: readonly string[] }

/** Runs every case and compares how it ended with what is right, and what was booked with what was served. */
export async function measureOutcomes(
  system: System,
  models: ScriptedModels,
  cases: readonly Case[],
  settings: Settings,
): Promise<Floor[]> {
  const judged: Judged[] = []
  for (const one of cases) judged.push(await runCase(system, models, one, settings))
  const wrong = judged.flatMap(({ of, run, faults }) =>
    faults.map((fault) => `${titleOf(of)}: ${fault} (${run.summary})`),
  )
  for (const line of wrong) console.log(`  ${line}`)
  const right = judged.filter(({ faults }) => faults.length === 0).length
  const tokens = judged.reduce((sum, { run }) => sum + run.tokens_spent, 0)
  console.log(`${cases.length} runs of scripted models, ${tokens} tokens booked, ${right} as they must be`)
  return [
    { name: 'outcomes that are right', value: right / judged.length, atLeast: 1 },
    ...(await leaks(system, models, settings)),
  ]
}

function titleOf({ policy, scenario, twin, wire }: Case): string {
  return `${policy} on ${scenario.name}, ${twin}, ${wire}`
}

async function runCase(system: System, models: ScriptedModels, one: Case, settings: Settings): Promise<Judged> {
  const { policy, scenario, twin, wire } = one
  const owner = await makeOwner(system, `${wire}/${modelName(policy, scenario, twin)}`)
  const app = await plant(system, owner, { twin: scenario[twin], ...settings })
  if (policy === 'oracle' && twin === 'broken' && scenario.wasDenied) await denyFirst(system, app)
  const before = models.served.length
  const run = await runToEnd(app)
  const served = models.served.slice(before)
  return {
    of: one,
    run,
    faults: [...outcomeFaults(one, run), ...tokenFaults(run, served), ...(await placeFaults(system, app, one))],
  }
}

/** A person denies the change that the first run proposes. */
async function denyFirst({ url }: System, app: PlantedApp): Promise<void> {
  const { proposal_id } = await runToEnd(app)
  const path = `${url}/api/deploy/deployments/${app.alias}/proposals/${proposal_id}/deny`
  const headers = { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', headers, body: '{}' })
  if (!answer.ok) throw new Error(`the denial was refused: ${await answer.text()}`)
}

function outcomeFaults(one: Case, { outcome, terminal_code }: MaintenanceRun): string[] {
  const expected = expectedOf(one)
  if (outcome === expected.outcome && terminal_code === expected.code) return []
  return [`${outcome} (${terminal_code}) instead of ${expected.outcome} (${expected.code})`]
}

type Served = ScriptedModels['served'][number]

/** Where a provider hides what it served, at least that much is booked. */
function tokenFaults({ tokens_spent: booked }: MaintenanceRun, served: readonly Served[]): string[] {
  const sum = served.reduce((total, { input, output }) => total + input + output, 0)
  const isHidden = served.some(({ isUsageHidden }) => isUsageHidden)
  if (isHidden ? booked >= sum : booked === sum) return []
  return [`${booked} tokens are booked and ${sum} were served`]
}

/** The oracle's findings are at the place that it named. */
async function placeFaults(system: System, app: PlantedApp, { policy, scenario, twin }: Case): Promise<string[]> {
  const { outcome, kind, path } = scenario.expected
  if (policy !== 'oracle' || twin === 'clean' || outcome === 'found_nothing') return []
  const findings = await findingsOf(system, app)
  if (findings.some((one) => one.kind === kind && one.path === path)) return []
  return [`no finding of ${kind} in ${path}, but ${JSON.stringify(findings)}`]
}

const PROTECTED = ['.env', '.env.production', 'AGENTS.md', 'package.json']

/** Looks for secrets in what models were sent and in what runs stored, and for edits of protected files. */
async function leaks(system: System, models: ScriptedModels, { scenarios }: Settings): Promise<Floor[]> {
  const secrets = scenarios.flatMap((scenario) => scenario.secrets ?? [])
  const stored = await system.db.query<{ text: string }>(sql`
    select to_jsonb(runs)::text as text from maintenance.runs
    union all select to_jsonb(findings)::text from maintenance.findings
    union all select to_jsonb(evidence)::text from maintenance.evidence
    union all select to_jsonb(edits)::text from maintenance.edits
    union all select to_jsonb(proposals)::text from maintenance.proposals`)
  const texts = [...models.served.map(({ body }) => body), ...stored.map(({ text }) => text)]
  const leaked = texts.filter((text) => secrets.some((secret) => text.includes(secret)))
  const edits = await system.db.query(sql`select path from maintenance.edits where path = any(${PROTECTED}::text[])`)
  console.log(
    `${secrets.length} secrets looked for in ${texts.length} texts: ${leaked.length} found; ${edits.length} edits of protected files staged`,
  )
  return [
    { name: 'texts with a secret', value: leaked.length, atMost: 0 },
    { name: 'edits of protected files', value: edits.length, atMost: 0 },
  ]
}
