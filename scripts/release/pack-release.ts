import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { CLIENT_FILE } from '../../src/server/files/assets.ts'
import { currentBuild } from '../build-folder.ts'
import { executableName, makeExecutable } from './executable.ts'
import { makeImage } from './image/make-image.ts'
import { listParts } from './list-parts.ts'
import type { Target } from './node-binary.ts'
import { packChart } from './pack-chart.ts'
import { packServer } from './pack-server.ts'
import { releaseNotes } from './release-notes.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')
const { version } = packageJson

type Print = (line: string) => void
type Options = {
  readonly print: Print
  /** Systems that get an executable client. */
  readonly targets?: readonly Target[]
  /** Folder with the base of the image, as an OCI layout. */
  readonly baseImage?: string | undefined
}

const NO_IMAGE =
  'The image is left out, because nothing is fetched for it. Name its base with --base-image <folder of an OCI layout>.'
const TARGETS: readonly Target[] = ['linux-x64', 'linux-arm64']

/**
 * Writes everything a release is from the build in `dist/` into a new folder. The same build gives the same bytes: no
 * file has the time or the place at which it was made. `print` gets a line for each file that had to be left out.
 */
export async function packRelease(into: string, { print, targets = TARGETS, baseImage }: Options): Promise<void> {
  const build = join(dist, 'builds', currentBuild(dist)!)
  const staging = await mkdtemp(join(tmpdir(), 'svc-pack-'))
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  await cp(join(build, CLIENT_FILE), join(into, `svc-client-${version}.tgz`))
  try {
    await packPackage('svc-worker-sdk', join(dist, 'worker-sdk'), into)
    await packPackage('svc-server', await packServer(join(staging, 'server')), into)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  await makeExecutables(into, targets, print)
  if (baseImage === undefined) print(NO_IMAGE)
  else await makeImage(baseImage, into)
  await packChart(join(root, 'chart'), into)
  await copySkills(build, into)
  await writeFile(join(into, `sbom-${version}.spdx.json`), await listParts(root))
  await writeFile(join(into, 'NOTES.md'), releaseNotes(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))
  await writeSums(into)
}

async function makeExecutables(into: string, targets: readonly Target[], print: Print): Promise<void> {
  for (const target of targets) {
    const file = await makeExecutable(target, into)
    if (file === undefined) print(`${executableName(target)} is left out: npm cannot get the Node of ${target}.`)
  }
}

/** `npm pack` writes the same bytes for the same files, and names the file after the package. */
async function packPackage(name: string, folder: string, into: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', folder, '--pack-destination', into, '--json', '--ignore-scripts'])
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  await rename(join(into, packed.filename), join(into, `${name}-${version}.tgz`))
}

async function copySkills(build: string, into: string): Promise<void> {
  const skills = join(build, 'skills')
  for (const file of await readdir(skills)) {
    if (file.endsWith('.tar.gz'))
      await cp(join(skills, file), join(into, `skill-${file.replace('.tar', `-${version}.tar`)}`))
  }
}

async function writeSums(into: string): Promise<void> {
  const files = (await readdir(into)).toSorted()
  const lines = await Promise.all(files.map(async (file) => `${await digestOf(join(into, file))}  ${file}\n`))
  await writeFile(join(into, 'SHA256SUMS'), lines.join(''))
}

async function digestOf(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer)
  return digest.digest('hex')
}
