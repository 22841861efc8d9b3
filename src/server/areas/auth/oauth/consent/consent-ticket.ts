import { equalSecrets } from '#lib/crypto/keys.ts'
import type { AuthDeps } from '../../model/deps.ts'
import { makeToken } from '../../model/token-format.ts'

type Deps = Pick<AuthDeps, 'keys'>

/**
 * Makes a one-time ticket that the deciding browser takes to the last step of an authorization. The cookie of the first
 * step only proves who started it: without the ticket, an attacker could start an authorization, have another user
 * approve it, and complete it in their place.
 */
export function makeConsentTicket({ keys }: Deps): { ticket: string; hash: string } {
  const ticket = makeToken('code')
  return { ticket, hash: keys.hash('consent', ticket).toString('hex') }
}

/** Whether `ticket` is the one whose hash is stored in the result of the interaction. */
export function isConsentTicket({ keys }: Deps, result: object | undefined, ticket: string | undefined): boolean {
  const hash = result && 'ticket' in result ? result.ticket : undefined
  if (typeof hash !== 'string' || ticket === undefined) return false
  return equalSecrets(hash, keys.hash('consent', ticket).toString('hex'))
}
