import { createToken, listTokens, revokeToken } from '#contract/auth/tokens.ts'
import { callCommand, listCommand } from '../../call/operation-command.ts'
import { printable } from '../../terminal/printable.ts'

const DAY_MS = 86_400_000

export const list = listCommand(listTokens, {
  label: 'Listing tokens',
  header: ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED'],
  cut: ['NAME'],
  row: ({ id, name, created_at, expires_at, last_used_at }, cli) => [
    id,
    name,
    cli.time(created_at),
    cli.time(expires_at, 'never'),
    cli.time(last_used_at, 'never'),
  ],
  none: (_, __, { config }) =>
    `You have no API tokens in this organization. Create one: ${config.program} tokens create <name>`,
})

/** Prints only the token to stdout, so that scripts can use it directly. */
export const create = callCommand(createToken, {
  input: ([name], { expiresDays }: { expiresDays?: number }) => ({ name, ...expiry(expiresDays) }),
  text: ({ token }) => printable(token),
  notes: ({ id }, _, { config }) => [
    `Token id: ${id}. The token is not shown again. To revoke it: ${config.program} tokens revoke ${id}`,
  ],
})

export const revoke = callCommand(revokeToken, {
  input: ([id]) => ({ id }),
  confirm: ([id]) => [`This revokes ${id} for everything that uses it`],
  text: (_, [id]) => `Revoked ${id}.`,
})

function expiry(days: number | undefined): { expires_at?: string } {
  return days === undefined ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }
}
