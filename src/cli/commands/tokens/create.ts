import { createToken } from '#contract/auth/tokens.ts'
import { openClient } from '../../call/client.ts'
import type { LoginFlags, OutputFlags } from '../../command/command.ts'
import type { Cli } from '../../terminal/cli.ts'
import { show } from '../../terminal/output.ts'
import { printable } from '../../terminal/printable.ts'

type Flags = OutputFlags & LoginFlags & { expiresDays?: number }

const DAY_MS = 86_400_000

/** Prints only the token to stdout, so that scripts can use it directly. */
export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const created = await client.call(createToken, { name, ...expiry(flags.expiresDays) })
  show(cli, flags.output, created, () => printable(created.token))
  cli.note(
    `Token id: ${created.id}. The token is not shown again. To revoke it: ${cli.config.program} tokens revoke ${created.id}`,
  )
}

function expiry(days: number | undefined): { expires_at?: string } {
  return days === undefined ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }
}
