import { messageOf } from '#lib/message-of.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import { type Instance, StartError, type StartRequest } from '../deploys/target.ts'
import type { AttachedApp } from '../door/network.ts'
import { layoutOf } from './layout.ts'
import type { Machine } from './machine.ts'
import { keepToken } from './sandbox/keep-token.ts'
import type { RunningApp } from './sandbox/sandboxes.ts'
import { mayRunUnsandboxed, NO_SANDBOX } from './sandbox/unsandboxed.ts'

/**
 * Starts one instance of an app, or finds the one that a former process of svc left running. It resolves as soon as the
 * command runs: whether the app answers is another matter.
 */
export async function startProcess(request: StartRequest, machine: Machine): Promise<Instance> {
  const mayBeUnsandboxed = await isAllowedUnsandboxed(request, machine)
  try {
    const app = (await findLeft(request, machine)) ?? (await startNew(request, machine, mayBeUnsandboxed))
    return toInstance(app, request, machine)
  } catch (error) {
    throw new StartError(`The app could not be started: ${messageOf(error)}.`, { cause: error })
  }
}

async function findLeft({ deploy, fence, onLine, storedLines }: StartRequest, { sandboxes }: Machine) {
  const { appId, deployId } = deploy
  return sandboxes.find({ appId, deployId, fence }, { onLine, stored: await storedLines() })
}

async function startNew(request: StartRequest, machine: Machine, mayBeUnsandboxed: boolean): Promise<RunningApp> {
  const { release, environment, onLine, fence } = request
  const { orgId, appId, deployId, startCommand } = request.deploy
  const { limits } = machine
  return machine.sandboxes.start({
    orgId,
    appId,
    deployId,
    fence,
    folder: layoutOf(machine.dataDir, appId).release(release.deployId),
    memoryBytes: limits.memoryBytes,
    limits,
    apiOrigin: machine.apiOrigin(),
    onLine,
    token: machine.tokens?.sign({ orgId, appId, deployId }),
    mayBeUnsandboxed,
    command: startCommand,
    variables: environment,
  })
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
  const ended = app.gone.then(async ({ description, isLost }) => {
    hasEnded = true
    token?.stop()
    await attached[Symbol.asyncDispose]()
    return isLost ? { description, isOurs: true } : { description }
  })
  const stop = async (graceMs: number) => {
    app.stop()
    const timer = setTimeout(() => app.kill('killed: it did not end when asked to'), graceMs)
    await ended.finally(() => clearTimeout(timer))
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
