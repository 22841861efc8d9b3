import { equalSecrets } from '#lib/crypto/keys.ts'
import type { AuthDeps } from '../deps.ts'
import { makeToken } from '../tokens/token-format.ts'

type Deps = Pick<AuthDeps, 'keys'>

/**
 * What the browser that decided takes along to the last step. The cookie of the first step says who began; without this
 * somebody could begin, have another person approve, and go on in their place.
 */
export function makeTicket({ keys }: Deps): { ticket: string; kept: string } {
  const ticket = makeToken('code')
  return { ticket, kept: keys.hash('consent', ticket).toString('hex') }
}

export function isTicket({ keys }: Deps, result: object | undefined, ticket: string | undefined): boolean {
  const kept = result && 'ticket' in result ? result.ticket : undefined
  if (typeof kept !== 'string' || ticket === undefined) return false
  return equalSecrets(kept, keys.hash('consent', ticket).toString('hex'))
}
