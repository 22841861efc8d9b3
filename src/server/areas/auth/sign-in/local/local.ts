import { localPage, localSignIn } from '#contract/auth/sign-in.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { isForwardingHeader } from '#edge/listen/forwarding.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { isThisMachine } from '#lib/net/address/loopback.ts'
import type { SignInDeps } from '../deps.ts'
import { mailedLinkUrl } from '../mailed-link/mailed-link-url.ts'
import { asPage, localFormPage } from '../pages.ts'
import { sessionCookie, startBrowserSession } from '../session/browser-session.ts'
import { checkReturnTo } from '../start.ts'
import { findUserByEmail } from '../store.ts'
import type { LocalCode } from './local-code.ts'

const CODE_WRONG = 'Wrong code. Read the file again: the code changes after each use and after 15 minutes.'
const LINK_USED =
  'This sign-in link was used already, is older than 15 minutes or is from an earlier start. Run `svc console` to get a new one.'

/** Routes of sign-in on the machine that svc runs on. It binds no identity and does not verify the email. */
export function localRoutes(deps: SignInDeps): Route[] {
  const { local, allowedRedirectBaseUrls: allowed } = deps
  return [
    route(
      localPage,
      asPage(async ({ return_to }, { request }) => {
        admit(local, request).renew()
        const returnTo = checkReturnTo(deps, return_to)
        return localFormPage({ returnTo, allowed, otherWay: mailedLinkUrl(deps, returnTo) })
      }),
    ),
    route(
      localSignIn,
      asPage(async (_, { request, clientAddress }) => {
        const code = admit(local, request)
        const form = new URLSearchParams(await request.text())
        const returnTo = checkReturnTo(deps, form.get('return_to') ?? undefined)
        const email = code.ownerEmail()
        const owner = email === undefined ? undefined : await findUserByEmail(deps.db, email)
        const isScript = request.headers.get('accept')?.includes('application/json') ?? false
        if (!owner || !code.use((form.get('code') ?? '').trim())) {
          if (isScript) throw new ServiceError('FORBIDDEN', LINK_USED)
          return localFormPage({ returnTo, allowed, otherWay: mailedLinkUrl(deps, returnTo), fault: CODE_WRONG })
        }
        const session = await startBrowserSession(deps, { request, clientAddress }, async () => owner)
        const cookie = sessionCookie(deps, session.secret)
        return isScript ? signedIn(cookie) : seeOther(returnTo, [cookie])
      }),
    ),
  ]
}

/** The console posts the code of its link by script and stays where it is. */
function signedIn(cookie: string): Response {
  return Response.json({ signed_in: true }, { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
}

/** Answers 404 unless local sign-in exists and the request came to a loopback name through no proxy. */
function admit(local: LocalCode | undefined, request: Request): LocalCode {
  if (local && isCalledLocally(request)) return local
  throw notFound()
}

/** Whether the request came to a loopback name through no proxy. */
export function isCalledLocally(request: Request): boolean {
  return isThisMachine(new URL(request.url).hostname) && !isForwarded(request)
}

function isForwarded({ headers }: Request): boolean {
  return [...headers.keys()].some(isForwardingHeader)
}
