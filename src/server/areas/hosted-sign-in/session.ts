import { signOut, switchOrg } from '#contract/auth/sign-in.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { calledByCookie, tokenOf } from '#edge/credentials/caller.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { seeOther } from '#edge/pages/page.ts'
import { isAllowedReturn } from '#edge/route/return-to.ts'
import { type Route, route } from '#edge/route/route.ts'
import { endSession, switchSession } from './auth-calls.ts'
import { type HostedDeps, SESSION_COOKIE_SECONDS } from './deps.ts'

/** Signs out and switches organizations at the auth service, and changes the cookie accordingly. */
export function sessionRoutes(deps: HostedDeps): Route[] {
  const { cookies } = deps
  return [
    route(signOut, async (_, context) => {
      const { request } = context
      if (calledByCookie(request)) refuseCrossSite(request, deps.publicUrl)
      const token = tokenOf(request, cookies.session)
      if (token !== undefined) await endSession(deps, context, token)
      const gone = cookies.set('session', '', 0)
      if (request.headers.get('accept')?.includes('text/html')) return seeOther('/auth/login?signed_out=1', [gone])
      return new Response(null, { status: 204, headers: [['set-cookie', gone]] })
    }),
    route(switchOrg, async (_, context) => {
      const { request } = context
      const { isForm, returnTo, json } = await readBody(deps, request)
      const response = await switchSession(deps, context, tokenOf(request, cookies.session)!, json)
      if (!response.ok || !calledByCookie(request)) return response
      const { token, ...shown } = (await response.json()) as { token: string }
      const cookie = cookies.set('session', token, SESSION_COOKIE_SECONDS)
      if (isForm) return seeOther(returnTo, [cookie])
      return Response.json(shown, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
    }),
  ]
}

/** Reads the body. Checks `return_to` of a form here, and leaves all other fields to the auth service. */
async function readBody({ allowedRedirectBaseUrls }: HostedDeps, request: Request) {
  const isForm = request.headers.get('content-type')!.startsWith('application/x-www-form-urlencoded')
  const text = await request.text()
  if (!isForm) return { isForm, returnTo: '/', json: text }
  const { return_to: returnTo = '/', ...fields } = Object.fromEntries(new URLSearchParams(text))
  if (isAllowedReturn(returnTo, allowedRedirectBaseUrls)) return { isForm, returnTo, json: JSON.stringify(fields) }
  throw new ServiceError('INVALID_REQUEST', 'return_to: this address is not allowed')
}
