import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Pinned } from './versions.ts'

const run = promisify(execFile)

/** Installs an agent in a folder of its own and returns the folder with its command. */
export async function install({ package: name, version, program }: Pinned, folder: string): Promise<string> {
  const own = join(folder, 'installed', name.replaceAll('/', '-'))
  mkdirSync(join(own, 'bin'), { recursive: true })
  const options = ['--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  await run('npm', ['install', ...options, `${name}@${version}`])
  symlinkSync(join(own, 'node_modules', name, program), join(own, 'bin', commandOf(name)))
  return join(own, 'bin')
}

/** `@openai/codex` has the command `codex`, and `opencode-linux-arm64` the command `opencode`. */
function commandOf(name: string): string {
  return name.replace(/^@[^/]+\//, '').replace(/(-code|-cli|-linux-).*$/, '')
}
