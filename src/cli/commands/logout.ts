import { validateToken } from '#contract/auth/auth.ts'
import { revokeToken } from '#contract/auth/tokens.ts'
import { connect } from '../call/api.ts'
import type { LoginFlags } from '../command/command.ts'
import { usageError } from '../command/hinted-error.ts'
import { type ActiveLogin, requireLogin } from '../login/credentials.ts'
import { forget } from '../login/forget.ts'
import type { Cli } from '../terminal/cli.ts'

type Flags = LoginFlags & { revoke?: boolean }

export async function run(_: [], { context, timeout, revoke }: Flags, cli: Cli): Promise<void> {
  const login = await requireLogin(cli.config, context)
  if (login.context === null) {
    const detail =
      'This login comes from SVC_API_URL and SVC_API_KEY. Unset them, or name another login with --context.'
    throw usageError(detail)
  }
  if (revoke) await revokeKey(login, cli, timeout)
  await forget(login.context, cli)
  if (!revoke)
    cli.note(
      `Its API key is still valid. Revoke it with ${cli.config.program} tokens revoke, or use ${cli.config.program} logout --revoke next time.`,
    )
}

/** Revokes the key before the login is removed, so that the login remains if revoking fails. */
async function revokeKey(login: ActiveLogin, cli: Cli, timeout: number | undefined): Promise<void> {
  const client = connect(login, cli, timeout)
  const { principal } = await client.call(validateToken, { token: login.api_key })
  if (principal.kind !== 'api_token') {
    throw usageError(`This login is a ${principal.kind}, not an API token. Log out without --revoke.`)
  }
  await client.call(revokeToken, { id: principal.id })
}
