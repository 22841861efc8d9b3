import { z } from 'zod'
import { ReturnTo, switchOrg } from '#contract/auth/sign-in.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { inputError } from '#edge/format/problem.ts'
import { parseJson } from '#edge/input/parse-json.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { SESSION_IDLE_MS, startSession } from '../../sessions/sessions.ts'
import { endSessionRow } from '../../store/sessions.ts'
import type { SignInDeps } from '../deps.ts'
import { asPage } from '../pages.ts'
import { checkReturnTo } from '../start.ts'
import { copySessionStart, findRole } from '../store.ts'
import { sessionCookie } from './browser-session.ts'
import { type CallerSession, callerSession } from './caller-session.ts'

const Fields = z.strictObject({ org_id: z.string().max(100), return_to: ReturnTo.optional() })

export function switchOrgRoute(deps: SignInDeps): Route {
  return route(
    switchOrg,
    asPage(async (_, { request }) => {
      const isForm = request.headers.get('content-type')!.startsWith('application/x-www-form-urlencoded')
      const { org_id, return_to } = await readFields(request, isForm)
      const returnTo = checkReturnTo(deps, return_to)
      const before = await callerSession(deps, request)
      if (!before?.bySecret)
        throw new ServiceError('FORBIDDEN', 'This operation needs the session itself, not a token made from it.')
      const { secret, role } = await replaceSession(deps, before, org_id)
      deps.onRevoked()
      const cookies = before.byCookie ? [sessionCookie(deps, secret)] : []
      if (isForm && before.byCookie) return seeOther(returnTo, cookies)
      const expires_at = new Date(deps.clock.now().getTime() + SESSION_IDLE_MS).toISOString()
      // A browser gets the secret as a cookie only, so that scripts cannot read it.
      const body = { org_id, role, expires_at, ...(!before.byCookie && { token: secret }) }
      const headers: [string, string][] = cookies.map((cookie) => ['set-cookie', cookie])
      return Response.json(body, { headers: [...headers, ['cache-control', 'no-store']] })
    }),
  )
}

/** Replaces the session by one in the other organization, of the same age. */
export async function replaceSession(deps: SignInDeps, before: CallerSession, orgId: string) {
  const { user_id } = before
  const now = deps.clock.now()
  return deps.db.tx(async (tx) => {
    const role = await findRole(tx, user_id, orgId)
    if (role === undefined) throw notFound('organization')
    const session = await startSession(tx, deps, { user_id, org_id: orgId, now })
    await copySessionStart(tx, session.id, before.id)
    await endSessionRow(tx, before.id, now)
    return { ...session, role }
  })
}

async function readFields(request: Request, isForm: boolean) {
  const text = await request.text()
  const fields = Fields.safeParse(isForm ? Object.fromEntries(new URLSearchParams(text)) : parseJson(text))
  if (!fields.success) throw inputError(fields.error)
  return fields.data
}
