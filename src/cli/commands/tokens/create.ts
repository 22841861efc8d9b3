import { createToken } from '#contract/auth/tokens.ts'
import type { Cli } from '../../cli.ts'
import { openClient } from '../../client.ts'
import type { LoginFlags, OutputFlags } from '../../command.ts'
import { show } from '../../output.ts'
import { printable } from '../../printable.ts'

type Flags = OutputFlags & LoginFlags & { expiresDays?: number }

const DAY_MS = 86_400_000

/** The token alone is the answer, so that a script can take it as it is. */
export async function run([name]: [string], flags: Flags, cli: Cli): Promise<void> {
  const client = await openClient(flags, cli)
  const made = await client.call(createToken, { name, ...expiry(flags.expiresDays) })
  show(cli, flags.output, made, () => printable(made.token))
  cli.note(`This is ${made.id}. It is not shown again; revoke it with: svc tokens revoke ${made.id}`)
}

function expiry(days: number | undefined): { expires_at?: string } {
  return days === undefined ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }
}
