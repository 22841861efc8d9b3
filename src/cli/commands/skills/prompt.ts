import packageJson from '../../../../package.json' with { type: 'json' }
import type { Flags } from '../../command/command.ts'
import { skillPrompt } from '../../skills/prompt.ts'
import type { Cli } from '../../terminal/cli.ts'

export async function run(_args: readonly string[], _flags: Flags, cli: Cli): Promise<void> {
  cli.print((await skillPrompt(packageJson.version)).trimEnd())
}
