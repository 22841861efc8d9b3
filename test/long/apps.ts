import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureOutages, meetHostileAnswers } from '#test/door/test-door.ts'

/** `node test/long/apps.ts [seed]`: 10,000 hostile answers, and twenty deaths of the process that meets them. */
const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1e6) + 1)
const MAX_OUTAGE_MS = 2_000
const folder = mkdtempSync(join(tmpdir(), 'svc-door-'))
try {
  const began = performance.now()
  const met = await meetHostileAnswers(folder, 10_000, seed)
  console.log(`10,000 answers, seed ${seed}: ${JSON.stringify(met)} in ${Math.round(performance.now() - began)} ms`)
  const outages = await measureOutages(folder, 20)
  console.log(`20 deaths of the door, milliseconds without an answer: ${outages.join(' ')}`)
  if (met.errors.length > 0 || met.healthy !== 'well' || Math.max(...outages) >= MAX_OUTAGE_MS) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
