import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '#lib/processes/remove-folder.ts'
import type { BuildRequest, BuildResult } from '../deploys/target.ts'
import { closeRelease } from './close-release.ts'
import { layoutOf } from './layout.ts'
import { runCommand } from './run-command.ts'
import { type Machine, takeUser } from './sandbox.ts'
import { mayRunUnsandboxed, NO_SANDBOX } from './unsandboxed.ts'
import { writeSource } from './write-source.ts'

type Failure = Extract<BuildResult, { ok: false }>

/**
 * Makes the release of a deploy: the files in a clean folder, and what the build command makes of them. The release
 * appears whole or not at all. What is left of a former attempt is replaced.
 */
export async function buildRelease(
  request: BuildRequest,
  machine: Machine,
  onError: (error: unknown) => void,
): Promise<BuildResult> {
  const { appId, deployId, buildCommand } = request.deploy
  const layout = layoutOf(machine.dataDir, appId)
  const [build, release] = [layout.build(deployId), layout.release(deployId)]
  const uid = buildCommand === null ? undefined : await takeUser(machine)
  await removeFolder(build, onError)
  try {
    await mkdir(build, { recursive: true, mode: 0o700 })
    const source = join(build, 'source')
    await writeSource(source, request.files, uid, request.signal)
    if (!(await mayRun(request, source, machine))) return failed('BUILD_FAILED', `${NO_SANDBOX}.`)
    const failure = buildCommand === null ? undefined : await runBuild(request, buildCommand, build, uid, machine)
    request.signal.throwIfAborted()
    if (failure) return failure
    const unusable = await closeRelease(source, uid === undefined ? undefined : process.getuid?.()).catch(unreadable)
    if (unusable !== undefined) return failed('BUILD_FAILED', unusable)
    await removeFolder(release, onError)
    await mkdir(layout.releases, { recursive: true, mode: 0o700 })
    await rename(source, release)
    return { ok: true, release: { deployId } }
  } finally {
    if (uid !== undefined) machine.users.free(uid)
    await removeFolder(build, onError)
  }
}

async function mayRun({ deploy, environment }: BuildRequest, folder: string, machine: Machine): Promise<boolean> {
  if ('bubblewrap' in (await machine.walls())) return true
  const { buildCommand, startCommand } = deploy
  return mayRunUnsandboxed(
    { folder, buildCommand, startCommand: startCommand ?? undefined, environment },
    machine.unsandboxed,
  )
}

async function runBuild(
  { deploy: { orgId, appId }, environment, onLine, signal }: BuildRequest,
  command: string,
  folder: string,
  uid: number | undefined,
  machine: Machine,
): Promise<Failure | undefined> {
  const limitMs = machine.limits.buildMs
  const of = { orgId, appId, folder, command, environment, hasNetwork: true, limitMs, uid, onLine, signal }
  const { code, description, isLate } = await runCommand(of, machine)
  if (code === 0) return undefined
  return failed(isLate ? 'TIMED_OUT' : 'BUILD_FAILED', `The build command ended: ${description}.`)
}

/** Paths can be longer than any that we can name. */
function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return `The files that the build left cannot be read: ${code}.`
}

function failed(code: Failure['code'], detail: string): Failure {
  return { ok: false, code, detail }
}
