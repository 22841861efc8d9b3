import { homedir } from 'node:os'
import type { Cli } from '../../cli.ts'
import type { OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { loadBundle } from '../../skills/bundle.ts'
import { type Installed, install } from '../../skills/install.ts'
import type { Base } from '../../skills/place.ts'

type Flags = OutputFlags & { user?: boolean; force?: boolean; noAgents?: boolean }

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const { output, user, force = false, noAgents = false } = flags
  const base: Base = user ? { folder: homedir(), scope: 'user' } : { folder: process.cwd(), scope: 'project' }
  const files = await install(await loadBundle(), id, { base, force, agents: !noAgents })
  show(cli, output, { id, folder: base.folder, files }, () => toLines(files))
}

/** Returns one line for each skills folder, and one for each file outside of them. */
function toLines(files: readonly Installed[]): string[] {
  const groups = Object.groupBy(files, ({ path }) => /^.*\/skills\/[^/]+/.exec(path)?.[0] ?? path)
  return Object.entries(groups).map(([place, group]) => {
    const written = group!.filter(({ action }) => action === 'written').length
    if (group!.length === 1) return `${place}: ${group![0]!.action}`
    return `${place}: ${written === 0 ? 'unchanged' : `${written} of ${group!.length} files written`}`
  })
}
