import { hash } from 'node:crypto'
import { sql } from '#lib/db/sql.ts'
import type { System } from '#test/system.ts'
import type { Floor } from '../help/floors.ts'
import { modelName } from './model/policies.ts'
import type { Settings } from './outcomes.ts'
import { makeOwner, plant } from './plant.ts'
import { findingsOf, runToEnd } from './runs.ts'

/** Runs the same look several times in organizations of their own. All that is shown to people must be equal. */
export async function measureRepeats(
  system: System,
  settings: Settings & { readonly repeats: number },
): Promise<Floor[]> {
  const results = new Set<string>()
  for (const scenario of settings.scenarios) {
    const ofScenario = new Set<string>()
    for (let repeat = 0; repeat < settings.repeats; repeat++) {
      const owner = await makeOwner(system, `openai/${modelName('oracle', scenario, 'broken')}`)
      const app = await plant(system, owner, { twin: scenario.broken, ...settings })
      const { outcome, terminal_code, summary, fingerprint, evidence } = await runToEnd(app)
      const edits = await system.db.query(sql`
        select n, path, old_text, new_text, revision.digest from maintenance.edits
        join maintenance.runs run on run.id = run_id
        left join maintenance.proposals proposal on proposal.run_id = run.id
        left join apps.revisions revision on revision.id = proposal.revision_id
        where run.org_id = ${owner.orgId} order by n`)
      const read = evidence.map(({ kind, bytes }) => ({ kind, bytes }))
      const findings = await findingsOf(system, app)
      ofScenario.add(JSON.stringify({ outcome, terminal_code, summary, fingerprint, read, edits, findings }))
    }
    if (ofScenario.size > 1) console.log(`  ${scenario.name} differs: ${[...ofScenario].join('\n    ')}`)
    results.add(`${scenario.name} ${ofScenario.size === 1}`)
  }
  const equal = [...results].filter((one) => one.endsWith(' true')).length
  console.log(
    `${equal} of ${settings.scenarios.length} scenarios end with equal bytes in ${settings.repeats} repeats (${hash('sha256', [...results].join()).slice(0, 12)})`,
  )
  return [{ name: 'scenarios with equal results', value: equal / settings.scenarios.length, atLeast: 1 }]
}
