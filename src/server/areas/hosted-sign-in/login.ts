import { signInPage } from '#contract/auth/sign-in.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse, seeOther } from '#edge/pages/page.ts'
import { HOSTED_CALLBACK, isAllowedReturn } from '#edge/route/return-to.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { HostedDeps } from './deps.ts'
import { beginFlow } from './flow.ts'
import { refusalPage } from './pages.ts'

export function loginRoute(deps: HostedDeps): Route {
  return route(signInPage, async ({ return_to = '/', signed_out }) => {
    if (!isAllowedReturn(return_to, deps.allowedRedirectBaseUrls)) return refusalPage('return_not_allowed')
    if (signed_out === '1') return signedOutPage()
    const { state, cookie } = beginFlow(deps, return_to)
    const url = new URL(deps.loginUrl)
    url.searchParams.set('redirect', `${deps.publicUrl}${HOSTED_CALLBACK}`)
    url.searchParams.set('state', state)
    return seeOther(url.href, [cookie])
  })
}

function signedOutPage(): Response {
  const body = html`<ul class="ways"><li><a class="button main" href="/auth/login">Sign in</a></li></ul>`
  return pageResponse({ title: 'You are signed out', body })
}
