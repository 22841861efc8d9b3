import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBubblewrap } from '#lib/processes/bubblewrap.ts'
import { descendantsOf } from '#lib/processes/process-memory.ts'
import { runToEnd } from '#lib/processes/start-process.ts'
import { createBuiltin } from '../../../src/server/areas/ai/builtin/builtin.ts'
import { engineStarter, makeFolder } from '../../../src/server/areas/databases/engine/embedded/start-engine.ts'
import { openTestTarget, sourceOf, type TestTarget } from '../apps/app-target.ts'

/**
 * Runs as a process of its own: loads the model, starts one of each kind of program and prints what descriptors each of
 * them has. A test starts it with descriptors that no program may get.
 */
const LIST = `ls -l /proc/self/fd | sed -n 's/.* \\([0-9]*\\) -> /\\1 /p' | sed 's/^/fd /'
for folder in /proc/[0-9]*; do ls -l $folder/fd 2>/dev/null | sed -n 's/.* -> /held /p'; done
tr '\\0' ' ' < /proc/1/cmdline | sed 's/^/first /'; echo`

async function ofApp(test: TestTarget): Promise<string[]> {
  await test.build('dep_list', { 'list.sh': LIST }, null)
  const app = await test.start('dep_list', 'sh list.sh')
  await app.ended
  return test.lines.splice(0).map((line) => line.replace('stdout: ', ''))
}

async function ofBuild(test: TestTarget): Promise<string[]> {
  await test.build('dep_build', { 'list.sh': LIST }, 'sh list.sh')
  return test.lines.splice(0).map((line) => line.replace('stdout: ', ''))
}

async function ofTrial({ target }: TestTarget): Promise<string[]> {
  const { build } = await target.runTrial({
    orgId: 'org_1',
    appId: 'app_1',
    files: sourceOf({ 'list.sh': LIST }),
    buildCommand: 'sh list.sh; exit 1',
    testCommand: undefined,
    signal: new AbortController().signal,
  })
  return build.type === 'failed' ? build.output.split('\n') : [build.type]
}

/** From outside, because nothing inside can list them. */
async function ofEngine(folder: string): Promise<string[]> {
  await makeFolder(folder)
  const start = engineStarter({ memoryBytes: 2 ** 30 }, () => findBubblewrap(async () => undefined))
  const engine = await start(folder)
  const first = Number(readFileSync(`${folder}.pid`, 'utf8').split(' ')[0])
  const held = [first, ...(await descendantsOf(first))].flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((name) => `held ${readlinkSync(`/proc/${pid}/fd/${name}`)}`),
  )
  await engine.close()
  return held
}

async function ofProgram(): Promise<string[]> {
  const { stdout } = await runToEnd('sh', ['-c', LIST], {})
  return stdout.split('\n').filter((line) => line.startsWith('fd '))
}

const builtin = createBuiltin()
await builtin.embed(['load the model'], new AbortController().signal)
const test = openTestTarget()
const folder = mkdtempSync(join(tmpdir(), 'svc-descriptors-'))
const report = {
  app: await ofApp(test),
  build: await ofBuild(test),
  trial: await ofTrial(test),
  engine: await ofEngine(join(folder, 'database')),
  program: await ofProgram(),
}
await test[Symbol.asyncDispose]()
await builtin[Symbol.asyncDispose]()
rmSync(folder, { recursive: true, force: true })
process.stdout.write(JSON.stringify(report))
