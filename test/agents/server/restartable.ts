import { once } from 'node:events'
import { join } from 'node:path'
import { type PausableRelay, startPausableRelay } from '#test/outside/pausable-relay.ts'
import { type ServerProcess, startProcess, untilExample, untilReady } from '#test/programs/processes.ts'

const SOURCES = join(import.meta.dirname, '..', '..', '..', 'src', 'server', 'main.ts')
const COMMAND = ['--import', join(import.meta.dirname, 'preload.ts'), SOURCES]
const [PUBLIC_PORT, OWN_PORT] = [8080, 8081]

/** A server behind a relay, at one address over all its restarts. */
export type Restartable = AsyncDisposable & {
  readonly url: string
  readonly relay: PausableRelay
  /** Ends the process, by kill -9 or as an orchestrator does. Connections are refused until it is started again. */
  stop(how: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts it, and resolves when it is ready. The lifetime of access tokens stays as it was without another one. */
  start(options?: { tokenSeconds?: number }): Promise<void>
}

type Options = {
  folder: string
  dataDir: string
  /** File with the certificate of the hosts of client documents. */
  authority: string
  tokenSeconds: number
}

export async function startRestartable({ folder, dataDir, authority, tokenSeconds }: Options): Promise<Restartable> {
  const relay = await startPausableRelay({ host: '127.0.0.1', port: OWN_PORT }, PUBLIC_PORT)
  const url = `http://127.0.0.1:${PUBLIC_PORT}`
  const env = {
    PORT: String(OWN_PORT),
    HOME: folder,
    SVC_DATA_DIR: dataDir,
    SVC_REDIRECT_BASE_URL: url,
    NODE_EXTRA_CA_CERTS: authority,
  }
  let lifetime = tokenSeconds
  const begin = () => startProcess({ ...env, AGENTS_TOKEN_SECONDS: String(lifetime) }, COMMAND)
  let running: ServerProcess = await begin()
  await untilExample(running)
  const stop = async (how: 'SIGKILL' | 'SIGTERM') => {
    const { child } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(how)
    await ended
    await relay.cut()
  }
  return {
    url,
    relay,
    stop,
    start: async ({ tokenSeconds: next = lifetime } = {}) => {
      lifetime = next
      running = await begin()
      await untilReady(running)
      await relay.restore()
    },
    [Symbol.asyncDispose]: async () => {
      await stop('SIGTERM')
      await relay[Symbol.asyncDispose]()
    },
  }
}
