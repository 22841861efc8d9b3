import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

export type Target = 'linux-x64' | 'linux-arm64'

type Lock = { packages: Record<string, { version: string; integrity: string }> }

/**
 * Returns the path of a target's Node: of the installed package, or else of the package that the lock file names, fetched
 * into `folder`. Returns undefined if npm cannot get that, and throws if its bytes are not those of the lock file.
 */
export async function findNode(target: Target, folder: string): Promise<string | undefined> {
  const name = `node-${target}`
  const installed = join(root, 'node_modules', name, 'bin', 'node')
  if (existsSync(installed)) return installed
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock
  const { version, integrity } = lock.packages[`node_modules/${name}`]!
  const file = await packFrom(`${name}@${version}`, folder)
  if (file === undefined) return undefined
  checkIntegrity(`${name}@${version}`, await readFile(file), integrity)
  await run('tar', ['-xzf', file, '-C', folder, 'package/bin/node'])
  return join(folder, 'package', 'bin', 'node')
}

/** Throws if bytes are not those with this integrity, as a lock file writes it. */
export function checkIntegrity(name: string, bytes: Buffer, integrity: string): void {
  const digest = createHash('sha512').update(bytes).digest('base64')
  if (`sha512-${digest}` !== integrity) throw new Error(`${name} is not what package-lock.json has`)
}

async function packFrom(spec: string, folder: string): Promise<string | undefined> {
  try {
    const flags = ['--prefer-offline', '--ignore-scripts', '--json', '--pack-destination', folder]
    const { stdout } = await run('npm', ['pack', spec, ...flags], { cwd: folder })
    const [packed] = JSON.parse(stdout) as [{ filename: string }]
    return join(folder, packed.filename)
  } catch {
    return undefined
  }
}
