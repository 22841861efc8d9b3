import { ServiceError } from '#contract/core/errors.ts'
import { postForm } from './api.ts'

const NAME = 'sign-in'

/**
 * Signs in with the one-time code of a link that `npm start` printed. It stands behind `#`, which browsers do not send
 * to servers, and is removed from the address at once.
 */
export async function redeemCode(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get(NAME)
  if (code === null) return
  history.replaceState(history.state, '', location.pathname + location.search)
  const answer = await postForm('/auth/local', { code })
  if (answer.ok) return
  throw new ServiceError(
    'FORBIDDEN',
    'This link was used before, or it is too old. Run `svc console` for a new one, in a checkout `npx svc console`.',
  )
}
