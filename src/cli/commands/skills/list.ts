import type { OutputFlags } from '../../command/command.ts'
import { loadBundle } from '../../skills/bundle.ts'
import type { Cli } from '../../terminal/cli.ts'
import { showList } from '../../terminal/output.ts'

export async function run(_args: readonly string[], { output }: OutputFlags, cli: Cli): Promise<void> {
  const { skills } = await loadBundle()
  const items = skills.map(({ id, description }) => ({ id, description }))
  showList(
    cli,
    output,
    { items, next_cursor: null },
    {
      header: ['ID', 'DESCRIPTION'],
      cut: ['DESCRIPTION'],
      row: ({ id, description }) => [id, description],
      none: 'There are no skills.',
    },
  )
}
