import { join } from 'node:path'
import type { AppTrial, TrialStep } from '#ports/app-trials.ts'
import type { OnLine, SourceFile } from '../../deploys/target.ts'
import type { Machine } from '../machine.ts'
import { openBuildPlace } from './build-place.ts'
import { mentionsNetwork } from './mentions-network.ts'
import { createOutputTail } from './output-tail.ts'
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
    const runStep = async (command: string | null, environment: Readonly<Record<string, string>>) =>
      command === null
        ? ({ type: 'absent' } as const)
        : runOne({ ...request, place, command, environment, uid, pidFile }, machine)
    const build = await runStep(buildCommand, QUIET)
    if (testCommand === undefined) return { build }
    if (build.type !== 'passed' && build.type !== 'absent') return { build, test: NOT_BUILT }
    return { build, test: await runStep(testCommand, FOR_TESTS) }
  } finally {
    if (uid !== undefined) machine.sandboxes.freeUser(uid)
  }
}

const NOT_BUILT: TrialStep = { type: 'not_run', reason: 'the app was not built' }

function allOf(testCommand: TrialRequest['testCommand'], step: TrialStep): AppTrial {
  return testCommand === undefined ? { build: step } : { build: step, test: step }
}

type Command = Omit<CommandRequest, 'hasNetwork' | 'limitMs' | 'onLine'>

async function runOne({ orgId, appId, place, command, environment, uid, signal, pidFile }: Command, machine: Machine) {
  const tail = createOutputTail()
  const onLine: OnLine = ({ text }) => tail.add(text)
  const limitMs = machine.limits.trialMs
  const of = { orgId, appId, place, command, environment, hasNetwork: false, limitMs, uid, onLine, signal, pidFile }
  const end = await runCommand(of, machine)
  signal.throwIfAborted()
  if (end.code === 0) return { type: 'passed' } as const
  if (end.by === 'svc') return { type: 'not_run', reason: end.description } as const
  const output = tail.text()
  const needsNetwork = end.triedNetwork || mentionsNetwork(output)
  return { type: 'failed', needsNetwork, reason: end.description, output } as const
}
