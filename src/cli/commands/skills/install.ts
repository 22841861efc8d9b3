import { homedir } from 'node:os'
import type { OutputFlags } from '../../command/command.ts'
import { loadBundle } from '../../skills/bundle.ts'
import { type Installed, install, type KeptFile } from '../../skills/install.ts'
import type { Base } from '../../skills/target-file.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'

type Flags = OutputFlags & { user?: boolean; force?: boolean; noAgents?: boolean }

export async function run([id]: [string], flags: Flags, cli: Cli): Promise<void> {
  const { output, user, force = false, noAgents = false } = flags
  const base: Base = user ? { folder: homedir(), scope: 'user' } : { folder: process.cwd(), scope: 'project' }
  const files = await install(await loadBundle(), id, { base, force, agents: !noAgents })
  show(cli, output, { id, folder: base.folder, files }, () => toLines(files))
}

/** Returns one line for each skills folder, one for each file outside of them, and one for each file that was kept. */
function toLines(files: readonly Installed[]): string[] {
  const keptFiles = files.filter((file): file is KeptFile => file.action === 'kept')
  const others = files.filter(({ action }) => action !== 'kept')
  const groups = Object.groupBy(others, ({ path }) => /^.*\/skills\/[^/]+/.exec(path)?.[0] ?? path)
  return [...Object.entries(groups).map(([place, group]) => toLine(place, group!)), ...keptFiles.map(toKeptLine)]
}

function toLine(place: string, group: readonly Installed[]): string {
  const count = (action: Installed['action']) => group.filter((file) => file.action === action).length
  if (group.length === 1) return `${place}: ${group[0]!.action}`
  const [written, removed] = [count('written'), count('removed')]
  const done = [
    ...(written > 0 ? [`${written} of ${group.length - removed} files written`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ]
  return `${place}: ${done.join(', ') || 'unchanged'}`
}

function toKeptLine({ path, why }: KeptFile): string {
  return `${path}: kept, because it ${why}. This version has no such file: delete it if you do not need it.`
}
