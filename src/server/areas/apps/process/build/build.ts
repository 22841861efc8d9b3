import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '#lib/files/remove-folder.ts'
import type { BuildRequest, BuildResult } from '../../deploys/target.ts'
import { layoutOf } from '../layout.ts'
import type { DiskLimits } from '../limits/disk-watch.ts'
import type { Machine } from '../machine.ts'
import { mayRunUnsandboxed, NO_SANDBOX } from '../sandbox/unsandboxed.ts'
import { type BuildPlace, openBuildPlace } from './build-place.ts'
import { closeRelease } from './close-release.ts'
import { moveRelease } from './move-release.ts'
import { runCommand } from './run-command.ts'
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
  const { orgId, appId, deployId, buildCommand } = request.deploy
  const build = layoutOf(machine.dataDir, appId).build(deployId)
  await machine.unmounted
  const room = await machine.diskTotals.reserve(orgId, machine.limits.buildDisk.bytes)
  if (!room) return failed('BUILD_FAILED', machine.diskTotals.full())
  const uid = buildCommand === null ? undefined : await machine.sandboxes.takeUser()
  await removeFolder(build, onError)
  try {
    await mkdir(build, { recursive: true, mode: 0o700 })
    const isSized = buildCommand !== null && (await machine.diskFault()) === undefined
    await using place = await openBuildPlace(build, limitsIn(room.bytes, machine), isSized)
    return await buildIn(place, request, uid, machine, onError)
  } finally {
    if (uid !== undefined) machine.sandboxes.freeUser(uid)
    await removeFolder(build, onError)
    room.free()
  }
}

async function buildIn(
  place: BuildPlace,
  request: BuildRequest,
  uid: number | undefined,
  machine: Machine,
  onError: (error: unknown) => void,
): Promise<BuildResult> {
  const { appId, deployId, buildCommand } = request.deploy
  const source = join(place.folder, 'source')
  const isWritten = await writeSource(source, request.files, uid, request.signal).then(() => true, isRoomy)
  if (!isWritten || (await place.findExcess(undefined))?.by === 'limit') {
    return failed('BUILD_FAILED', machine.diskTotals.full())
  }
  if (!(await mayRun(request, source, machine))) return failed('BUILD_FAILED', `${NO_SANDBOX}.`)
  const failure = buildCommand === null ? undefined : await runBuild(request, buildCommand, place, uid, machine)
  request.signal.throwIfAborted()
  if (failure) return failure
  const unusable = await closeRelease(source, uid === undefined ? undefined : process.getuid?.()).catch(unreadable)
  if (unusable !== undefined) return failed('BUILD_FAILED', unusable)
  const release = layoutOf(machine.dataDir, appId).release(deployId)
  const noRoom = await moveRelease(source, release, machine.limits.buildDisk.minFreeBytes, onError)
  return noRoom === undefined ? { ok: true, release: { deployId } } : failed('BUILD_FAILED', noRoom)
}

/** Returns false where a file system of the build's own has too little room. */
function isRoomy(error: unknown): boolean {
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
  throw error
}

/** Less than usual where the organization has hardly any room left. */
function limitsIn(bytes: number, { limits: { buildDisk, organization } }: Machine): DiskLimits {
  if (bytes >= buildDisk.bytes) return buildDisk
  const total = Math.round(organization.diskBytes / 1024 / 1024)
  return {
    ...buildDisk,
    bytes,
    bytesNote: `, which is what its organization has left of ${total} MB (SVC_APPS_DISK_PER_ORG_MB)`,
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
  place: BuildPlace,
  uid: number | undefined,
  machine: Machine,
): Promise<Failure | undefined> {
  const limitMs = machine.limits.buildMs
  const of = { orgId, appId, place, command, environment, hasNetwork: true, limitMs, uid, onLine, signal }
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
