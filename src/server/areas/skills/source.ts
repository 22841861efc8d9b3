import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The commit of a checkout without changes. Null for any other folder: its files are those of no commit. */
export async function commitOf(root: string): Promise<string | null> {
  try {
    const top = await git(root, 'rev-parse', '--show-toplevel')
    // An installed copy inside somebody's repository is not of that repository.
    if ((await realpath(top)) !== (await realpath(root))) return null
    if ((await git(root, 'status', '--porcelain')) !== '') return null
    return await git(root, 'rev-parse', 'HEAD')
  } catch {
    return null
  }
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, '--no-optional-locks', ...args])
  return stdout.trim()
}
