import { join } from 'node:path'
import type { AppTrial, TrialStep, TrialTime } from '#ports/app-trials.ts'
import type { OnLine, SourceFile } from '../../deploys/target.ts'
import type { Machine } from '../machine.ts'
import { openBuildPlace } from './build-place.ts'
import { restoreBuilt, saveBuilt } from './built-copy.ts'
import { mentionsNetwork } from './mentions-network.ts'
import { createOutputTail } from './output-tail.ts'
import { type EndedCommand, joinSteps, repeatTests, toStep, toTestRun } from './repeat-tests.ts'
import { type CommandRequest, runCommand } from './run-command.ts'
import { openTrialFolder } from './trial-folder.ts'
import { writeSource } from './write-source.ts'

export type TrialRequest = {
  readonly orgId: string
  readonly appId: string
  readonly files: AsyncIterable<SourceFile>
  /** Null: the app has none. */
  readonly buildCommand: string | null
  /** Null: the app has none. Undefined: its tests are not to be run. */
  readonly testCommand: string | null | undefined
  /** How often the tests run, once if it is undefined. See `TryAppRevision`. */
  readonly testRuns?: number
  /** Undefined: only each step has a limit. */
  readonly time?: TrialTime
  readonly signal: AbortSignal
}

/** Programs that ask for updates would seem to need the network. */
const QUIET = { npm_config_update_notifier: 'false', npm_config_audit: 'false', npm_config_fund: 'false' }
/** Test runners wait for changes of files unless they are told that nobody sits there. */
const FOR_TESTS = { ...QUIET, NODE_ENV: 'test', CI: 'true' }

/**
 * Runs the build, and then the tests, of files in a sandbox without network and without the variables of the app. The
 * result is thrown away. Rejects with the reason of the signal when that aborts; everything is gone by then.
 */
export async function runTrial(
  request: TrialRequest,
  machine: Machine,
  onError: (error: unknown) => void,
): Promise<AppTrial> {
  const { files, buildCommand, testCommand, signal } = request
  const found = await machine.walls()
  if ('missing' in found)
    return allOf(testCommand, { type: 'not_run', reason: `there is no sandbox: ${found.missing}` })
  if (buildCommand === null && (testCommand ?? null) === null) return allOf(testCommand, { type: 'absent' })
  await machine.unmounted
  await using folder = await openTrialFolder(machine.dataDir, onError)
  const isSized = (await machine.diskFault()) === undefined
  await using place = await openBuildPlace(folder.path, machine.limits.buildDisk, isSized)
  const { pidFile } = folder
  const uid = await machine.sandboxes.takeUser()
  try {
    await writeSource(join(place.folder, 'source'), files, uid, signal)
    const of = { ...request, place, uid, pidFile }
    const limitMs = machine.limits.trialMs
    const build =
      buildCommand === null
        ? ABSENT
        : toStep(await runOne({ ...of, command: buildCommand, environment: QUIET, limitMs }, machine))
    if (testCommand === undefined) return { build }
    if (build.type !== 'passed' && build.type !== 'absent') return { build, test: NOT_BUILT }
    return { build, ...(await runTests({ ...of, command: testCommand, environment: FOR_TESTS }, machine, onError)) }
  } finally {
    if (uid !== undefined) machine.sandboxes.freeUser(uid)
  }
}

const ABSENT: TrialStep = { type: 'absent' }
const NOT_BUILT: TrialStep = { type: 'not_run', reason: 'the app was not built' }

function allOf(testCommand: TrialRequest['testCommand'], step: TrialStep): AppTrial {
  return testCommand === undefined ? { build: step } : { build: step, test: step }
}

type Command = Omit<CommandRequest, 'hasNetwork' | 'onLine'>
type Tests = Omit<Command, 'command' | 'limitMs'> & { readonly command: string | null; readonly testRuns?: number }

async function runTests(
  { command, testRuns = 1, ...of }: Tests,
  machine: Machine,
  onError: (error: unknown) => void,
): Promise<Pick<AppTrial, 'test' | 'testRuns'>> {
  if (command === null) return { test: ABSENT }
  const { trialMs, buildDisk } = machine.limits
  const run = (limitMs: number) => runOne({ ...of, command, limitMs }, machine)
  if (testRuns === 1) return { test: toStep(await run(trialMs)) }
  // In another folder, because the place of the build has a limit.
  await using saved = await openTrialFolder(machine.dataDir, onError)
  const folders = { place: of.place.folder, copy: saved.path }
  const fault = await saveBuilt(folders, buildDisk.minFreeBytes)
  if (fault !== undefined) return { test: { type: 'not_run', reason: fault } }
  let isFirst = true
  const runAnew = async (limitMs: number) => {
    if (!isFirst) await restoreBuilt(folders, onError)
    isFirst = false
    of.signal.throwIfAborted()
    return run(limitMs)
  }
  const runs = await repeatTests(runAnew, { count: testRuns, totalMs: trialMs })
  return { test: joinSteps(runs), testRuns: runs.map(toTestRun) }
}

async function runOne(
  { orgId, appId, place, command, environment, limitMs, uid, signal, pidFile }: Command,
  machine: Machine,
): Promise<EndedCommand> {
  const tail = createOutputTail()
  const onLine: OnLine = ({ text }) => tail.add(text)
  const of = { orgId, appId, place, command, environment, hasNetwork: false, limitMs, uid, onLine, signal, pidFile }
  const end = await runCommand(of, machine)
  signal.throwIfAborted()
  const output = tail.text()
  return { end, output, needsNetwork: end.triedNetwork || mentionsNetwork(output) }
}
