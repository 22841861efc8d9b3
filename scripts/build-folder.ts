import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forgetUsers, holdBuild, removeUnusedBuilds } from '../src/lib/processes/build-users.ts'

const BUILDS = 'builds'
/** The programs of a release. Each is a file in `dist/` that loads the file of the same name in the current build. */
const PROGRAMS = ['server.js', 'svc-server.js']

/**
 * Makes the files of the server in a folder of their own, `dist/builds/<digest>`, and then lets the programs in `dist/`
 * load it. A server that runs from an earlier build keeps that build's files: they are removed by a later build, once no
 * process uses them. The build before this one always stays, for servers that could not leave a mark in it.
 */
export async function makeBuild(dist: string, make: (folder: string) => Promise<void>): Promise<string> {
  const builds = join(dist, BUILDS)
  const former = currentBuild(dist)
  const unfinished = join(builds, `unfinished-${process.pid}`)
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  // Another build that runs at the same time must not remove it.
  holdBuild(unfinished)
  await make(unfinished)
  await forgetUsers(unfinished)
  const id = digestOf(unfinished)
  const folder = join(builds, id)
  if (existsSync(folder)) await rm(unfinished, { recursive: true })
  else await rename(unfinished, folder)
  for (const program of PROGRAMS) await replace(join(dist, program), `import './${BUILDS}/${id}/${program}'\n`)
  await removeUnusedBuilds(builds, [id, former])
  return folder
}

/** Returns the name of the build that the programs in `dist/` load, or undefined where there is none. */
export function currentBuild(dist: string): string | undefined {
  const program = join(dist, PROGRAMS[0]!)
  if (!existsSync(program)) return undefined
  return /^import '\.\/builds\/([0-9a-f]{16})\//.exec(readFileSync(program, 'utf8'))?.[1]
}

/** Digest of all names and bytes, so that the same sources give the same folder. */
function digestOf(folder: string): string {
  const digest = createHash('sha256')
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  for (const path of paths) digest.update(path.slice(folder.length)).update('\0').update(readFileSync(path))
  return digest.digest('hex').slice(0, 16)
}

/** Replaces a file at once: a program that is started meanwhile reads the former or the new one. */
export async function replace(file: string, contents: string | Uint8Array): Promise<void> {
  const part = `${file}.${process.pid}.part`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(part, contents)
  await rename(part, file)
}
