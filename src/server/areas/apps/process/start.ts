import { messageOf } from '#lib/message-of.ts'
import { SocketFetchError } from '#lib/net/socket-fetch.ts'
import { type Instance, StartError, type StartRequest } from '../deploys/target.ts'
import type { AttachedApp } from '../door/network.ts'
import { layoutOf } from './layout.ts'
import { type Machine, openSandbox, type Sandbox, takeUser } from './sandbox/sandbox.ts'
import { mayRunUnsandboxed, NO_SANDBOX } from './sandbox/unsandboxed.ts'

/** Starts one instance of an app. It resolves as soon as the command runs: whether the app answers is another matter. */
export async function startProcess(request: StartRequest, machine: Machine): Promise<Instance> {
  const { release, environment, onLine } = request
  const { orgId, appId, startCommand } = request.deploy
  await refuseUnsandboxed(request, machine)
  const uid = await takeUser(machine)
  const free = () => void (uid !== undefined && machine.users.free(uid))
  let sandbox: Sandbox | undefined
  try {
    sandbox = await openSandbox(
      {
        orgId,
        appId,
        folder: layoutOf(machine.dataDir, appId).release(release.deployId),
        buildHome: undefined,
        memoryBytes: machine.limits.memoryBytes,
        hasNetwork: true,
        onLine,
        tokens: tokensOf(request, machine),
        uid,
      },
      machine,
    )
    await sandbox.process.ready
    const socket = await sandbox.takeSocket()
    sandbox.run(startCommand, environment)
    void sandbox.gone.then(free)
    return toInstance(sandbox, attach(request, socket, machine), socket)
  } catch (error) {
    sandbox?.process.kill('killed: it could not be started')
    await sandbox?.gone
    free()
    throw new StartError(`The app could not be started: ${messageOf(error)}.`, { cause: error })
  }
}

function tokensOf({ deploy: { orgId, appId, deployId } }: StartRequest, { tokens }: Machine) {
  return tokens && { ...tokens, sign: () => tokens.sign({ orgId, appId, deployId }) }
}

/** Also asked at a start, because a release may have been built while everything was allowed. */
async function refuseUnsandboxed({ deploy, release, environment }: StartRequest, machine: Machine): Promise<void> {
  if ('bubblewrap' in (await machine.walls())) return
  const folder = layoutOf(machine.dataDir, deploy.appId).release(release.deployId)
  const candidate = { folder, buildCommand: null, startCommand: deploy.startCommand, environment }
  if (!(await mayRunUnsandboxed(candidate, machine.unsandboxed))) throw new StartError(NO_SANDBOX)
}

function attach({ deploy: { deployId }, onHarmful }: StartRequest, socket: string, { network }: Machine): AttachedApp {
  return network.attach({ socket }, { deployId, onHarmful })
}

function toInstance(sandbox: Sandbox, app: AttachedApp, socket: string): Instance {
  let hasEnded = false
  const ended = sandbox.gone.then(async ({ description }) => {
    hasEnded = true
    await app[Symbol.asyncDispose]()
    return { description }
  })
  const stop = async (graceMs: number) => {
    sandbox.process.send({ stop: true })
    const timer = setTimeout(() => sandbox.process.kill('killed: it did not end when asked to'), graceMs)
    await ended.finally(() => clearTimeout(timer))
  }
  return {
    address: { socket },
    ended,
    fetch: async (request) => {
      if (hasEnded) throw new SocketFetchError('the app has ended', false, undefined)
      return app.fetch(request)
    },
    stop,
    leave: stop,
  }
}
