import { orAborted } from '#lib/async/race.ts'
import { messageOf } from '#lib/message-of.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import { type Instance, StartError, type StartRequest } from '../deploys/target.ts'
import type { AttachedApp } from '../door/network.ts'
import { layoutOf } from './layout.ts'
import type { Machine } from './machine.ts'
import { keepToken } from './sandbox/keep-token.ts'
import type { RunningApp } from './sandbox/sandboxes.ts'
import { mayRunUnsandboxed, NO_SANDBOX } from './sandbox/unsandboxed.ts'
import { hasOtherSettings, type StartSettings, saveSettings } from './start-settings.ts'

/**
 * Starts one instance of an app, or finds the one that a former process of svc left running. It resolves as soon as the
 * command runs: whether the app answers is another matter.
 */
export async function startProcess(request: StartRequest, machine: Machine): Promise<Instance> {
  const { signal } = request
  const mayBeUnsandboxed = await orAborted(isAllowedUnsandboxed(request, machine), signal)
  try {
    const settings = settingsOf(machine, mayBeUnsandboxed)
    const app = (await findLeft(request, machine, settings)) ?? (await startNew(request, machine, settings))
    return toInstance(app, request, machine)
  } catch (error) {
    signal.throwIfAborted()
    throw new StartError(`The app could not be started: ${messageOf(error)}.`, { cause: error })
  }
}

function settingsOf({ limits, apiOrigin }: Machine, mayBeUnsandboxed: boolean): StartSettings {
  return { memoryBytes: limits.memoryBytes, limits, apiOrigin: apiOrigin(), mayBeUnsandboxed }
}

const OTHER_SETTINGS = 'The settings of svc for apps have changed, so the app is stopped and started again with them.'
/** How long requests may take, and then the app to end when asked to. */
const STOP_GRACE_MS = 3_000

/** Returns undefined if no instance was left, or one with other settings than those of now, which is ended. */
async function findLeft(request: StartRequest, { sandboxes, dataDir }: Machine, settings: StartSettings) {
  const { deploy, fence, onLine, storedLines, signal } = request
  const { appId, deployId } = deploy
  const left = await sandboxes.find({ appId, deployId, fence }, { onLine, stored: await storedLines() }, signal)
  if (!left || !(await hasOtherSettings(layoutOf(dataDir, appId).setting(deployId), settings))) return left
  onLine({ stream: 'system', text: OTHER_SETTINGS })
  await left.drain?.(STOP_GRACE_MS)
  await stopApp(left, STOP_GRACE_MS)
  return undefined
}

async function startNew(request: StartRequest, machine: Machine, settings: StartSettings): Promise<RunningApp> {
  const { release, environment, onLine, fence, signal } = request
  const { orgId, appId, deployId, startCommand } = request.deploy
  const layout = layoutOf(machine.dataDir, appId)
  await saveSettings(layout.setting(deployId), settings)
  const options = {
    ...settings,
    orgId,
    appId,
    deployId,
    fence,
    folder: layout.release(release.deployId),
    onLine,
    token: machine.tokens?.sign({ orgId, appId, deployId }),
    command: startCommand,
    variables: environment,
  }
  return machine.sandboxes.start(options, signal)
}

/** Asks an app to end, and ends it after the time for that. */
async function stopApp(app: RunningApp, graceMs: number): Promise<void> {
  app.stop()
  const timer = setTimeout(() => app.kill('killed: it did not end when asked to'), graceMs)
  await app.gone.finally(() => clearTimeout(timer))
}

/** Returns false where there is a sandbox. Also asked at a start, because a release may have been built while everything was allowed. */
async function isAllowedUnsandboxed(
  { deploy, release, environment }: StartRequest,
  machine: Machine,
): Promise<boolean> {
  if ('bubblewrap' in (await machine.walls())) return false
  const folder = layoutOf(machine.dataDir, deploy.appId).release(release.deployId)
  const candidate = { folder, buildCommand: null, startCommand: deploy.startCommand, environment }
  if (!(await mayRunUnsandboxed(candidate, machine.unsandboxed))) throw new StartError(NO_SANDBOX)
  return true
}

function toInstance(app: RunningApp, request: StartRequest, { network, tokens }: Machine): Instance {
  const { orgId, appId, deployId } = request.deploy
  const { socket } = app
  const attached: AttachedApp = network.attach({ socket }, { deployId, onHarmful: request.onHarmful })
  const token =
    tokens && keepToken(app, { ...tokens, sign: () => tokens.sign({ orgId, appId, deployId }) }, request.onLine)
  let hasEnded = false
  const ended = app.gone.then(async ({ description, isLost, goesOn }) => {
    hasEnded = true
    token?.stop()
    await attached[Symbol.asyncDispose]()
    return { description, ...(isLost && { isOurs: true }), ...(goesOn && { goesOn }) }
  })
  const stop = async (graceMs: number) => {
    await stopApp(app, graceMs)
    await ended
  }
  const leave = async () => {
    token?.stop()
    app.leave?.()
  }
  return {
    address: { socket },
    ended,
    fetch: async (asked) => {
      if (hasEnded) throw new SocketFetchError('the app has ended', false, undefined)
      return attached.fetch(asked)
    },
    route: app.route,
    unroute: app.unroute,
    drain: app.drain,
    outlives: app.leaves,
    stop,
    leave: (graceMs) => (app.leaves?.() ? leave() : stop(graceMs)),
  }
}
