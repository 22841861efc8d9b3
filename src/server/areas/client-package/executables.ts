import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EXECUTABLE_TARGETS, type ExecutableTarget } from '#contract/client-package.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { matchesEtag } from '#edge/format/etag.ts'

type Executable = {
  readonly target: ExecutableTarget
  readonly path: string
  readonly digest: string
  readonly bytes: number
}

/** Finds the executables of the client of this version in a folder. Each is read once for its digest, at the first call. */
export function createExecutables(folder: string, version: string) {
  let found: Promise<readonly Executable[]> | undefined
  const all = () => {
    found ??= findAll(folder, version)
    return found
  }
  return {
    all,
    async serve(target: ExecutableTarget, ifNoneMatch: string | null): Promise<Response> {
      const executable = (await all()).find((one) => one.target === target)
      if (!executable) throw noExecutable(target, version)
      return answerFile(executable, ifNoneMatch)
    },
  }
}

/** Returns the target that the last part of an address names, if it is one. */
export function targetOf(file: string): ExecutableTarget | undefined {
  return EXECUTABLE_TARGETS.find((target) => target === file)
}

async function findAll(folder: string, version: string): Promise<Executable[]> {
  const files = await Promise.all(
    EXECUTABLE_TARGETS.map(async (target) => {
      const path = join(folder, `svc-${version}-${target}`)
      const entry = await stat(path).catch(() => undefined)
      return entry?.isFile() ? [{ target, path, digest: await digestOf(path), bytes: entry.size }] : []
    }),
  )
  return files.flat()
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(path)) digest.update(piece as Buffer)
  return digest.digest('hex')
}

function noExecutable(target: ExecutableTarget, version: string): ServiceError {
  return new ServiceError(
    'NOT_FOUND',
    `This instance has no executable of the client for ${target}. Install the client with npm from /client.tgz. Or its operator puts svc-${version}-${target} of the release into the folder of the server and starts it again.`,
  )
}

/** Streams the file, which is too large to hold in memory. */
async function answerFile({ path, digest, bytes, target }: Executable, ifNoneMatch: string | null): Promise<Response> {
  const etag = `"${digest}"`
  const headers = {
    etag,
    'cache-control': 'no-cache, no-transform',
    'x-content-type-options': 'nosniff',
  }
  if (matchesEtag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers })
  return new Response(await openAsBlob(path), {
    headers: {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="svc-${target}"`,
    },
  })
}
