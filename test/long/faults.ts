import { startOwnSystem } from '#test/programs/own-system.ts'
import { detectIn } from '../faults/detect-in.ts'
import { FIXES } from '../faults/model/fixes.ts'
import { proveFix } from '../faults/model/prove-fix.ts'
import {
  chooseScriptedModel,
  type ModelRun,
  type Planter,
  runWithModel,
  scriptedEnvironment,
  startScriptedModel,
} from '../faults/model/run-with-model.ts'
import { type Pair, readPairs } from '../faults/read-pairs.ts'

/** Runs the maintenance agent with a competent scripted model on all pairs. CI runs two of them. */
const PROPOSALS = 10
const PROVEN = 6

await using fake = await startScriptedModel()
await using system = await startOwnSystem(scriptedEnvironment(fake))
const planter = await chooseScriptedModel(system)
const rows: Row[] = []
for (const folder of ['apps', 'held-out', 'held-out-second']) {
  for (const pair of await readPairs(folder)) rows.push(await runPair(planter, pair))
}
report(rows)

type Row = {
  readonly pair: string
  readonly alone: string
  readonly model: ModelRun
  readonly twin: ModelRun
  readonly isProven: boolean
}

async function runPair(on: Planter, { name, faulty, healthy }: Pair): Promise<Row> {
  const alone = (await detectIn(faulty)).map(({ kind }) => kind)
  const [model, twin] = await Promise.all([
    runWithModel(on, `faulty-${rows.length}`, faulty),
    runWithModel(on, `healthy-${rows.length}`, healthy),
  ])
  const fix = FIXES.find(
    ({ path, old, test }) => test && model.proposed.includes(path) && faulty.files[path]?.includes(old),
  )
  const proof = fix && (await proveFix(faulty, fix))
  const isProven = proof?.before === 'red' && proof.after === 'green'
  return { pair: name, alone: [...new Set(alone)].join(', '), model, twin, isProven }
}

function report(all: readonly Row[]): void {
  console.log('| Pair | Detectors alone | With a model | Proposal | Twin |\n|---|---|---|---|---|')
  for (const { pair, alone, model, twin, isProven } of all) {
    const proposal = model.proposed.length > 0 ? `${model.proposed.join(', ')}${isProven ? ' (proven)' : ''}` : '-'
    console.log(`| ${pair} | ${alone} | ${model.code} (${model.kinds.join(', ')}) | ${proposal} | ${twin.code} |`)
  }
  const found = all.filter(({ model }) => model.kinds.length > 0).length
  const alarms = all.filter(({ twin }) => twin.kinds.length > 0).length
  const proposals = all.filter(({ model }) => model.status === 'ready').length
  const onTwins = all.filter(({ twin }) => twin.proposed.length > 0).length
  const proven = all.filter(({ isProven }) => isProven).length
  console.log(JSON.stringify({ pairs: all.length, found, alarms, proposals, onTwins, proven }))
  const isWhole = found === all.length && proposals === PROPOSALS && proven === PROVEN
  if (!isWhole || alarms + onTwins > 0) process.exitCode = 1
}
