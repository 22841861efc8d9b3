import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareAttack } from '#test/hostile-model/attack.ts'
import { startOwnSystem } from '#test/programs/own-system.ts'

/**
 * `node test/long/hostile-model.ts [seed] [turns] [turns between two comparisons]`: 100,000 tool calls of models that do all
 * they can to get out of their runs. CI runs 1,000 of them with a fixed seed.
 */
const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1e6) + 1)
const turns = Number(process.argv[3] ?? 100_000)
const MAX_REQUEST_BYTES = 700_000

// Whatever the server writes for a moment is written there, and nowhere else.
const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
process.env.TMPDIR = folder
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const sent: string[] = []
await using attack = await prepareAttack({
  turns,
  seed,
  turnsPerRound: Number(process.argv[4] ?? 1_000),
  folders: [process.cwd(), folder],
  // A run of an hour that is ended early still shows what it found.
  onRound: ({ turns: done, runs, faults: found }) => {
    console.log(`${done} turns in ${runs} runs, ${found.length} faults, seed ${seed}`)
    for (const fault of found) console.log(`  ${fault.slice(0, 500)}`)
  },
})
await using system = await startOwnSystem(attack.env, {
  safeFetch: async (url) => {
    sent.push(url)
    throw new Error('nothing is sent in this proof')
  },
})
const report = await attack.run(system)
console.log(`a hostile model: ${JSON.stringify({ ...report, sent }, null, 2)}`)
const { trapped, leaks, effects, late, files, errors, max_request_bytes } = report
const faults = [...sent, ...leaks, ...effects, ...late, ...files, ...errors].length + trapped
if (faults > 0 || max_request_bytes > MAX_REQUEST_BYTES) process.exitCode = 1
