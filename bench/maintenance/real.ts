import { readRevision } from '#contract/apps/revisions.ts'
import type { MaintenanceRun } from '#contract/maintenance/runs.ts'
import { sql } from '#lib/db/sql.ts'
import { startOwnSystem } from '#test/programs/own-system.ts'
import type { System } from '#test/system.ts'
import type { Settings } from './outcomes.ts'
import { makeOwner, type PlantedApp, plant } from './plant.ts'
import { findingsOf, runToEnd } from './runs.ts'
import { hasSandbox, passesTest } from './sandbox.ts'
import type { Scenario } from './scenarios/scenario.ts'

export type Endpoint = {
  readonly baseUrl: string
  readonly model: string
  readonly kind: 'openai' | 'anthropic'
  readonly apiKey: string | undefined
  readonly maxTokens: number
}

type Seen = {
  readonly scenario: Scenario
  readonly twin: 'broken' | 'clean'
  readonly run: MaintenanceRun
  readonly isRightFile: boolean
  /** Undefined where nothing was proposed or nothing can be run. */
  readonly isFixed: boolean | undefined
}

/**
 * Lets a model of a real endpoint look at every twin, and prints how good it is. All apps belong to one organization whose
 * pool has as many tokens as may be used, so the product itself stops at the cap.
 */
export async function scoreEndpoint(endpoint: Endpoint, settings: Settings): Promise<Spent> {
  const { baseUrl, model, kind, apiKey, maxTokens } = endpoint
  const provider = {
    name: 'real',
    base_url: baseUrl,
    kind,
    ...(apiKey && { api_key: apiKey }),
    models: [{ name: model }],
  }
  await using system = await startOwnSystem({
    SVC_AI_PROVIDERS: JSON.stringify([provider]),
    SVC_AGENT_TOKENS_PER_DAY: String(maxTokens),
  })
  const owner = await makeOwner(system, `real/${model}`)
  const seen: Seen[] = []
  const began = performance.now()
  for (const [index, scenario] of settings.scenarios.entries()) {
    for (const twin of ['broken', 'clean'] as const) {
      const app = await plant(system, owner, { twin: scenario[twin], ...settings, alias: `app-${index}-${twin}` })
      const one = await look(system, app, scenario, twin)
      seen.push(one)
      console.log(
        `${scenario.name}, ${twin}: ${one.run.outcome} (${one.run.terminal_code}), ${one.run.tokens_spent} tokens`,
      )
      if (one.run.outcome === 'budget_exhausted') return report(seen, { maxTokens, isCapped: true, began })
    }
  }
  return report(seen, { maxTokens, isCapped: false, began })
}

async function look(system: System, app: PlantedApp, scenario: Scenario, twin: 'broken' | 'clean'): Promise<Seen> {
  const run = await runToEnd(app)
  const findings = await findingsOf(system, app)
  const isRightFile = findings.some(({ path }) => path === scenario.expected.path)
  return { scenario, twin, run, isRightFile, isFixed: await isFixed(system, app, scenario, run) }
}

/** Runs the hidden test on the proposed revision. */
async function isFixed(
  { url, db }: System,
  { client, alias, token }: PlantedApp,
  { hiddenTest }: Scenario,
  { proposal_id }: MaintenanceRun,
) {
  if (proposal_id === null || hiddenTest === undefined || !hasSandbox()) return undefined
  const [proposal] = await db.query<{ revision_id: string | null }>(sql`
    select revision_id from maintenance.proposals where id = ${proposal_id}`)
  const revision_id = proposal!.revision_id
  if (revision_id === null) return false
  const { files } = await client.call(readRevision, { alias, revision_id })
  const texts = await Promise.all(
    files.map(async ({ path }) => {
      const where = `${url}/api/deploy/deployments/${alias}/revisions/${revision_id}/file?path=${encodeURIComponent(path)}`
      const answer = await fetch(where, { headers: { authorization: `Bearer ${token}` } })
      return [path, await answer.text()] as const
    }),
  )
  return passesTest(Object.fromEntries(texts), hiddenTest)
}

/** The cost of the looks, and whether the cap ended them. */
type Spent = { readonly tokens: number; readonly isCapped: boolean }

type Reported = { readonly maxTokens: number; readonly isCapped: boolean; readonly began: number }

function report(seen: readonly Seen[], { maxTokens, isCapped, began }: Reported): Spent {
  const ended = seen.filter(({ run }) => run.outcome !== 'budget_exhausted')
  const faulty = ended.filter(
    ({ twin, scenario }) => twin === 'broken' && scenario.expected.outcome !== 'found_nothing',
  )
  const healthy = ended.filter((one) => !faulty.includes(one))
  const found = (one: Seen) => one.run.outcome === 'finding_recorded' || one.run.outcome === 'proposed'
  const byModel = (one: Seen) => found(one) && one.run.terminal_code !== 'detector_only'
  const fixable = faulty.filter(({ scenario }) => scenario.change.length > 0 && !scenario.wasDenied)
  const tokens = seen.reduce((sum, { run }) => sum + run.tokens_spent, 0)
  const rate = (part: readonly unknown[], whole: readonly unknown[]) => `${part.length} of ${whole.length}`
  console.log(
    `\ndetection          ${rate(faulty.filter(found), faulty)}, by the model itself ${rate(faulty.filter(byModel), faulty)}`,
  )
  console.log(
    `right file         ${rate(
      faulty.filter(({ isRightFile }) => isRightFile),
      faulty,
    )}`,
  )
  console.log(
    `fixed              ${rate(
      fixable.filter(({ isFixed: fixed }) => fixed === true),
      fixable,
    )} by the hidden test`,
  )
  console.log(
    `false proposals    ${rate(
      healthy.filter(({ run }) => run.outcome === 'proposed'),
      healthy,
    )}`,
  )
  console.log(`false findings     ${rate(healthy.filter(found), healthy)}`)
  console.log(
    `agent errors       ${rate(
      ended.filter(({ run }) => run.outcome === 'agent_error'),
      ended,
    )}`,
  )
  const seconds = (performance.now() - began) / 1000 / Math.max(seen.length, 1)
  console.log(
    `tokens             ${tokens} of ${maxTokens}, ${seconds.toFixed(1)} s a run${isCapped ? '; stopped at the cap' : ''}`,
  )
  return { tokens, isCapped }
}
