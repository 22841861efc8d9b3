import { realpath } from 'node:fs/promises'
import { runToEnd } from '#lib/processes/start-process.ts'

/** Returns the commit of a checkout without changes, and null for any other folder. */
export async function commitOf(root: string): Promise<string | null> {
  try {
    const top = await git(root, 'rev-parse', '--show-toplevel')
    // A copy installed inside another repository is not part of that repository.
    if ((await realpath(top)) !== (await realpath(root))) return null
    if ((await git(root, 'status', '--porcelain')) !== '') return null
    return await git(root, 'rev-parse', 'HEAD')
  } catch {
    return null
  }
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await runToEnd('git', ['-C', root, '--no-optional-locks', ...args])
  return stdout.trim()
}
