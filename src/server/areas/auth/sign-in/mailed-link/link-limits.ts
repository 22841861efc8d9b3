import { createUseLimiter } from '#edge/limits/rate-limit.ts'
import { addressBlock } from '#lib/net/address/address-block.ts'
import type { SignInDeps } from '../deps.ts'
import { LINK_SECONDS } from './mail-link.ts'

const DAY_SECONDS = 24 * 3600

/** Counted for each caller apart, otherwise one of them could keep the owner of an address from signing in. */
const LINKS_PER_CALLER = [
  { name: 'mailed-link-caller', limit: 5, windowSeconds: LINK_SECONDS },
  { name: 'mailed-link-caller-day', limit: 20, windowSeconds: DAY_SECONDS },
]
/** Bounds the mails that many callers together can send to one address. */
const LINKS_PER_EMAIL = { name: 'mailed-link-email-day', limit: 100, windowSeconds: DAY_SECONDS }

/**
 * Returns a function that counts a request for a link and throws RATE_LIMITED past a limit. Every address is counted
 * alike, whether or not it has an account. A request that its caller's limit refuses takes none of the address's total.
 */
export function createLinkLimiter(deps: Pick<SignInDeps, 'keys' | 'kv' | 'clock'>) {
  const ofCaller = LINKS_PER_CALLER.map((limit) => createUseLimiter(limit, deps))
  const ofEmail = createUseLimiter(LINKS_PER_EMAIL, deps)
  return async (email: string, clientAddress: string): Promise<void> => {
    const hash = deps.keys.hash('mail_limit', email).toString('hex')
    for (const count of ofCaller) await count(`${hash}:${addressBlock(clientAddress)}`)
    await ofEmail(hash)
  }
}
