import type { IDToken } from 'openid-client'
import { signInCallback } from '#contract/auth/sign-in.ts'
import { type Route, route } from '#edge/http/route.ts'
import { seeOther } from '#edge/pages/page.ts'
import { findOrBind, link, welcome } from './bind.ts'
import { callerSession } from './caller-session.ts'
import type { SignInDeps } from './deps.ts'
import { sessionCookie, signIn } from './finish.ts'
import { resumeFlow } from './flow.ts'
import { asPage } from './pages.ts'
import { askProvider, callbackUri, findProvider } from './provider-calls.ts'
import { type Identity, identityOf, type Provider } from './providers.ts'
import { SignInRefused } from './refusals.ts'

/** Back from the provider: is it ours, who is it, are they known, let them in. */
export function callbackRoute(deps: SignInDeps): Route {
  return route(
    signInCallback,
    asPage(async ({ provider: name, ...answer }, { request }) => {
      const provider = findProvider(deps, name)
      const flow = await resumeFlow(deps, request, provider, answer.state)
      if (answer.error !== undefined) throw refusalOf(answer.error)
      const url = answerUrl(callbackUri(deps, provider), answer)
      const claims = await askProvider(deps, provider, () => provider.client.finish(url, flow.kept))
      const identity = checkedIdentity(deps, provider, claims)
      const session = flow.linkUserId
        ? await linkTo(deps, request, identity, flow.linkUserId)
        : await signIn(deps, request, async (tx, now) => {
            const user = await findOrBind(tx, identity, now)
            await welcome(tx, identity, user, now)
            return user
          })
      return seeOther(flow.returnTo, [sessionCookie(deps, session.secret), deps.cookies.set('flow', '', 0)])
    }),
  )
}

/** Who began to link must still be the one who is signed in. */
async function linkTo(deps: SignInDeps, request: Request, identity: Identity, userId: string) {
  const session = await callerSession(deps, request)
  if (!session?.byCookie || session.user_id !== userId) throw new SignInRefused('link_needs_session')
  return signIn(deps, request, async (tx, now) => {
    const user = await link(tx, identity, userId, now)
    await welcome(tx, identity, user, now)
    return { id: userId, org_id: session.principal.org_id }
  })
}

function checkedIdentity({ log }: SignInDeps, provider: Provider, claims: IDToken): Identity {
  const fault = provider.faultOf(claims)
  if (fault === undefined) return identityOf(provider, claims)
  log.warn({ provider: provider.name, fault }, 'an identity provider answered for somebody who is not let in here')
  throw new SignInRefused('not_confirmed')
}

function refusalOf(error: string): SignInRefused {
  return new SignInRefused(error === 'access_denied' || error === 'consent_required' ? 'cancelled' : 'not_confirmed')
}

function answerUrl(callback: string, answer: Record<string, string | undefined>): URL {
  const url = new URL(callback)
  for (const [key, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(key, value)
  return url
}
