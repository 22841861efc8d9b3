import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Where the published files come from; `commit` is null where they are those of no commit. */
export type Source = { readonly ref: string; readonly commit: string | null }

const run = promisify(execFile)

/** A tag only where the checkout is exactly that tag; anything else is no release. */
export async function sourceOf(root: string, version: string): Promise<Source> {
  try {
    const top = await git(root, 'rev-parse', '--show-toplevel')
    // An installed copy inside somebody's repository is not of that repository.
    if ((await realpath(top)) !== (await realpath(root))) return { ref: 'unreleased', commit: null }
    if ((await git(root, 'status', '--porcelain')) !== '') return { ref: 'unreleased', commit: null }
    const commit = await git(root, 'rev-parse', 'HEAD')
    const tags = (await git(root, 'tag', '--points-at', 'HEAD')).split('\n')
    return { ref: tags.includes(`v${version}`) ? `v${version}` : 'unreleased', commit }
  } catch {
    return { ref: 'unreleased', commit: null }
  }
}

async function git(root: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', root, '--no-optional-locks', ...args])
  return stdout.trim()
}
