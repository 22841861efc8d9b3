import { chown, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '#lib/processes/remove-folder.ts'
import type { BuildRequest, BuildResult } from '../deploys/target.ts'
import { closeRelease } from './close-release.ts'
import { diskExcess } from './disk-watch.ts'
import { layoutOf } from './layout.ts'
import { repeat } from './repeat.ts'
import { type Machine, openSandbox, takeUser } from './sandbox.ts'
import { writeSource } from './write-source.ts'

type Failure = Extract<BuildResult, { ok: false }>

const DISK_CHECK_MS = 500

/**
 * Makes the release of a deploy: the files in a clean folder, and what the build command makes of them. The release
 * appears whole or not at all. What is left of a former attempt is replaced.
 */
export async function buildRelease(
  request: BuildRequest,
  machine: Machine,
  onError: (error: unknown) => void,
): Promise<BuildResult> {
  const layout = layoutOf(machine.dataDir, request.appId)
  const [build, release] = [layout.build(request.deployId), layout.release(request.deployId)]
  const uid = request.command === null ? undefined : await takeUser(machine)
  await removeFolder(build, onError)
  try {
    await mkdir(build, { recursive: true, mode: 0o700 })
    const source = join(build, 'source')
    await writeSource(source, request.files, uid, request.signal)
    const failure = request.command === null ? undefined : await runBuild(request, request.command, build, uid, machine)
    request.signal.throwIfAborted()
    if (failure) return failure
    const unusable = await closeRelease(source, uid === undefined ? undefined : process.getuid?.()).catch(unreadable)
    if (unusable !== undefined) return failed('BUILD_FAILED', unusable)
    await removeFolder(release, onError)
    await mkdir(layout.releases, { recursive: true, mode: 0o700 })
    await rename(source, release)
    return { ok: true, release: { deployId: request.deployId } }
  } finally {
    if (uid !== undefined) machine.users.free(uid)
    await removeFolder(build, onError)
  }
}

async function runBuild(
  { appId, environment, onLine, signal }: BuildRequest,
  command: string,
  build: string,
  uid: number | undefined,
  machine: Machine,
): Promise<Failure | undefined> {
  const { buildMemoryBytes, buildMs, buildDisk } = machine.limits
  const buildHome = join(build, 'home')
  await makeHome(buildHome, uid)
  const options = { appId, folder: join(build, 'source'), buildHome, memoryBytes: buildMemoryBytes, onLine, uid }
  const sandbox = await openSandbox(options, machine)
  const watching = new AbortController()
  let isLate = false
  const kill = (reason: string) => sandbox.process.kill(reason)
  const onAbort = () => kill('killed: the deploy was stopped')
  const timer = setTimeout(() => {
    isLate = true
    kill(`killed: it took more than ${buildMs / 1000} seconds`)
  }, buildMs)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  const checkDisk = async () => {
    const excess = await diskExcess(build, buildDisk)
    if (excess !== undefined) kill(`killed: ${excess}`)
  }
  void repeat(checkDisk, DISK_CHECK_MS, watching.signal)
  try {
    await sandbox.process.ready
      .then(() => sandbox.run(command, environment))
      .catch((error: Error) => kill(error.message))
    const { code, description } = await sandbox.gone
    if (code === 0) return undefined
    return failed(isLate ? 'TIMED_OUT' : 'BUILD_FAILED', `The build command ended: ${description}.`)
  } finally {
    clearTimeout(timer)
    watching.abort()
    signal.removeEventListener('abort', onAbort)
  }
}

/** Paths can be longer than any that we can name. */
function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return `The files that the build left cannot be read: ${code}.`
}

async function makeHome(folder: string, uid: number | undefined): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (uid !== undefined) await chown(folder, uid, uid)
}

function failed(code: Failure['code'], detail: string): Failure {
  return { ok: false, code, detail }
}
