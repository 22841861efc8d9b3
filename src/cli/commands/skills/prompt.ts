import packageJson from '../../../../package.json' with { type: 'json' }
import type { Cli } from '../../cli.ts'
import type { Flags } from '../../command.ts'
import { skillPrompt } from '../../skills/prompt.ts'

export async function run(_args: readonly string[], _flags: Flags, cli: Cli): Promise<void> {
  cli.print((await skillPrompt(packageJson.version)).trimEnd())
}
