import { ServiceError } from '#contract/core/errors.ts'
import type { Principal } from '#contract/core/principal.ts'

/** The console names the person and the organization that its page shows: `<user id> <organization id>`. */
const HEADER = 'x-svc-session'

/**
 * Throws SESSION_CHANGED if the page shows another session than the cookie stands for. All tabs of a browser share the
 * cookie: without this check, a tab that still shows one organization would read and change another one after a switch
 * in a second tab.
 */
export function refuseOtherSession(request: Request, { user_id, org_id }: Principal): void {
  const expected = request.headers.get(HEADER)
  if (expected === null || expected === `${user_id ?? '-'} ${org_id ?? '-'}`) return
  throw new ServiceError(
    'SESSION_CHANGED',
    'You switched to another organization or account in this browser. Reload the page.',
  )
}
