import type { System } from '#test/system.ts'
import type { Floor } from '../help/floors.ts'
import { makeOwner, plant } from './plant.ts'
import { findingsOf, runToEnd, type StoredFinding } from './runs.ts'
import { HELD_OUT } from './scenarios/held-out.ts'
import type { Scenario, Twin } from './scenarios/scenario.ts'

type Settings = { readonly scenarios: readonly Scenario[]; readonly seed: number; readonly now: Date }
type Found = { readonly name: string; readonly isBroken: boolean; readonly findings: readonly StoredFinding[] }

/**
 * Runs the detectors alone on both twins of each scenario, and on apps in other languages that the detectors were never
 * improved on. The scenarios were written before their author had read the detectors, and were used to improve them.
 */
export async function scoreDetectors(system: System, { scenarios, seed, now }: Settings): Promise<Floor[]> {
  const lookAt = async (twin: Twin) => {
    const app = await plant(system, await makeOwner(system, 'builtin/detectors'), { twin, seed, now })
    await runToEnd(app)
    return findingsOf(system, app)
  }
  const found: Found[] = []
  for (const { name, broken, clean, expected } of scenarios) {
    found.push({ name, isBroken: expected.outcome !== 'found_nothing', findings: await lookAt(broken) })
    found.push({ name: `${name}, clean`, isBroken: false, findings: await lookAt(clean) })
  }
  const others: Found[] = []
  for (const { twin, ...about } of HELD_OUT) others.push({ ...about, findings: await lookAt(twin) })
  return [...report('detectors', found, { detection: 1 }), ...report('detectors, held out', others, { detection: 0.8 })]
}

function report(name: string, found: readonly Found[], least: { readonly detection: number }): Floor[] {
  const broken = found.filter(({ isBroken }) => isBroken)
  const healthy = found.filter(({ isBroken }) => !isBroken)
  const missed = broken.filter(({ findings }) => findings.length === 0)
  const alarms = healthy.filter(({ findings }) => findings.length > 0)
  const sum = broken.reduce((count, { findings }) => count + findings.length, 0)
  console.log(
    `${name}: ${broken.length - missed.length} of ${broken.length} faults found in ${sum} findings, ` +
      `${alarms.length} false alarms in ${healthy.length} healthy apps${missed.map((one) => `; missed ${one.name}`).join('')}`,
  )
  return [
    { name: `${name}, detection`, value: 1 - missed.length / broken.length, atLeast: least.detection },
    { name: `${name}, false alarms`, value: alarms.length, atMost: 0 },
  ]
}
