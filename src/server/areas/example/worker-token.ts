import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { setAppPerson } from '#contract/apps/people.ts'
import { adminCreateToken } from '#contract/auth/auth.ts'
import { listTokens, revokeToken } from '#contract/auth/tokens.ts'
import type { ExampleDeps } from './deps.ts'

const EMAIL = 'hello-worker@example.com'
/** The variable of the app that has its token. */
export const TOKEN_VARIABLE = 'SERVER_API_TOKEN'

/**
 * Gives the app a token with which it serves functions and pipelines. Its code can read the token, so it belongs to a
 * member of its own, who builds this app only, and not to the owner. The variable is set last: where it is set, all else
 * is done.
 */
export async function giveWorkerToken({ clientOf, account }: ExampleDeps, alias: string): Promise<void> {
  const { org_id, api_key, operator_token } = account
  const owner = clientOf(api_key)
  const { items } = await owner.call(readEnvironment, { alias })
  if (items.some(({ name }) => name === TOKEN_VARIABLE)) return
  const member = { org_id, email: EMAIL, role: 'member', name: `worker of ${alias}`, is_program: true } as const
  const { token, id, user_id } = await clientOf(operator_token).call(adminCreateToken, member)
  await revokeOthers(clientOf(token), id)
  await owner.call(setAppPerson, { alias, user_id, part: 'builder' })
  await owner.call(changeEnvironment, { alias, set: { [TOKEN_VARIABLE]: token } })
}

/** Revokes the tokens of starts that were killed before they handed theirs to the app. Nobody knows those any more. */
async function revokeOthers(member: ReturnType<ExampleDeps['clientOf']>, current: string): Promise<void> {
  const { items } = await member.call(listTokens, {})
  for (const { id } of items) if (id !== current) await member.call(revokeToken, { id })
}
