import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FakeChat } from '#test/outside/fake-chat.ts'
import { type System, startSystem } from '#test/system.ts'
import { FIXES } from './model/fixes.ts'
import { proveFix } from './model/prove-fix.ts'
import {
  chooseScriptedModel,
  type Planter,
  runWithModel,
  scriptedEnvironment,
  startScriptedModel,
} from './model/run-with-model.ts'
import { type Pair, readPairs } from './read-pairs.ts'

let fake: FakeChat
let system: System
let planter: Planter
let pairs: Map<string, Pair>
beforeAll(async () => {
  fake = await startScriptedModel()
  system = await startSystem({ env: scriptedEnvironment(fake) })
  planter = await chooseScriptedModel(system)
  pairs = new Map((await readPairs('apps')).map((pair) => [pair.name, pair]))
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
  await fake?.[Symbol.asyncDispose]()
})

// `test/long/faults.ts` runs all pairs.
it.each([
  ['deploy-missing-column', { code: 'proposed', proposed: ['src/items.js'], status: 'ready' }],
  ['timeout-payments', { code: 'finding_recorded', proposed: [], status: null }],
])('MA-10 a competent model proposes a change only where source and log show the fault: %s', async (name, result) => {
  const { faulty, healthy } = pairs.get(name)!
  expect(await runWithModel(planter, `${name}-1`, faulty)).toMatchObject(result)
  expect(await runWithModel(planter, `${name}-2`, healthy)).toEqual({
    code: 'found_nothing',
    kinds: [],
    proposed: [],
    status: null,
  })
})

it('MA-10 neither the log of a fault nor the source of one alone makes it propose a change', async () => {
  const { faulty, healthy } = pairs.get('deploy-5xx')!
  const onlyLog = await runWithModel(planter, 'only-log', { ...faulty, files: healthy.files })
  expect(onlyLog).toMatchObject({ code: 'detector_only', kinds: ['errors_after_deploy'], proposed: [] })
  const onlySource = await runWithModel(planter, 'only-source', { ...healthy, files: faulty.files })
  expect(onlySource).toMatchObject({ code: 'found_nothing', kinds: [], proposed: [] })
})

it('MA-10 each repair of a Node app has a test that fails before it and passes after it', async () => {
  const tested = FIXES.filter(({ test }) => test)
  expect(tested).toHaveLength(6)
  for (const fix of tested) {
    const { faulty } = [...pairs.values()].find((pair) => pair.faulty.files[fix.path]?.includes(fix.old))!
    expect(await proveFix(faulty, fix)).toEqual({ before: 'red', after: 'green' })
  }
})
