import { createSocketFetch, SocketFetchError } from '#lib/net/socket-fetch.ts'
import { type Instance, InstanceError, StartError, type StartRequest } from '../deploys/target.ts'
import { layoutOf } from './layout.ts'
import { type Machine, openSandbox, type Sandbox, takeUser } from './sandbox.ts'

/** Starts one instance of an app. It resolves as soon as the command runs: whether the app answers is another matter. */
export async function startProcess(request: StartRequest, machine: Machine): Promise<Instance> {
  const { release, environment, onLine } = request
  const { appId, startCommand } = request.deploy
  const uid = await takeUser(machine)
  const free = () => void (uid !== undefined && machine.users.free(uid))
  let sandbox: Sandbox | undefined
  try {
    sandbox = await openSandbox(
      {
        appId,
        folder: layoutOf(machine.dataDir, appId).release(release.deployId),
        buildHome: undefined,
        memoryBytes: machine.limits.memoryBytes,
        hasNetwork: true,
        onLine,
        uid,
      },
      machine,
    )
    await sandbox.process.ready
    const socket = await sandbox.takeSocket()
    sandbox.run(startCommand, environment)
    void sandbox.gone.then(free)
    return toInstance(sandbox, socket)
  } catch (error) {
    sandbox?.process.kill('killed: it could not be started')
    await sandbox?.gone
    free()
    throw new StartError(`The app could not be started: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    })
  }
}

function toInstance(sandbox: Sandbox, socket: string): Instance {
  const socketFetch = createSocketFetch(socket)
  let hasEnded = false
  const ended = sandbox.gone.then(async ({ description }) => {
    hasEnded = true
    await socketFetch[Symbol.asyncDispose]()
    return { description }
  })
  const stop = async (graceMs: number) => {
    sandbox.process.send({ stop: true })
    const timer = setTimeout(() => sandbox.process.kill('killed: it did not end when asked to'), graceMs)
    await ended.finally(() => clearTimeout(timer))
  }
  return {
    ended,
    fetch: async (request) => {
      if (hasEnded) throw new InstanceError('the app has ended', false, undefined)
      try {
        return await socketFetch(request)
      } catch (error) {
        if (!(error instanceof SocketFetchError)) throw error
        throw new InstanceError('the app gave no answer', error.sent, error.cause)
      }
    },
    stop,
    leave: stop,
  }
}
