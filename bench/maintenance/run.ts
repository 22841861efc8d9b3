import { loadavg } from 'node:os'
import { startOwnSystem } from '#test/own-system.ts'
import { type Floor, requireFloors } from '../floors.ts'
import { SCENARIOS } from './scenarios/all.ts'
import { scoreDetectors } from './score-detectors.ts'

/**
 * Runs the maintenance agent over ten faults and their healthy twins. Nothing is random but for the seed, and no result
 * depends on the speed of the machine. On Postgres if SVC_TEST_DATABASE_URL is set, or else on the embedded engine.
 */
const SEED = 7
const now = new Date()
const floors: Floor[] = []

await using system = await startOwnSystem({})
console.log(
  `${SCENARIOS.length} scenarios with twins, seed ${SEED}, on ${system.db.engine}; load ${loadavg()[0]!.toFixed(1)}`,
)
floors.push(...(await scoreDetectors(system, { scenarios: SCENARIOS, seed: SEED, now })))
requireFloors(floors)
