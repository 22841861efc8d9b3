import { signInCallback } from '#contract/auth/sign-in.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { completeFirstSignIn, findOrBindUser, linkIdentity } from './bind.ts'
import type { SignInDeps } from './deps.ts'
import { resumeFlow } from './flow.ts'
import { asPage } from './pages.ts'
import type { SignedInPerson } from './providers/oidc.ts'
import { askProvider, callbackUri, findProvider } from './providers/provider-calls.ts'
import { type Identity, type Provider, readIdentity } from './providers/providers.ts'
import { SignInRefused } from './refusals.ts'
import { sessionCookie, startBrowserSession, type Visitor } from './session/browser-session.ts'
import { callerSession } from './session/caller-session.ts'

/** Handles the return from the identity provider: checks the flow, reads the identity, signs the user in. */
export function callbackRoute(deps: SignInDeps): Route {
  return route(
    signInCallback,
    asPage(async ({ provider: name, ...answer }, { request, clientAddress }) => {
      const visitor = { request, clientAddress }
      const provider = findProvider(deps, name)
      const flow = await resumeFlow(deps, request, provider, answer.state)
      if (answer.error !== undefined) throw refusalOf(answer.error)
      const url = answerUrl(callbackUri(deps, provider), answer)
      const person = await askProvider(deps, provider, () => provider.client.finish(url, flow.secrets))
      const identity = checkedIdentity(deps, provider, person)
      const session = flow.linkUserId
        ? await linkTo(deps, visitor, identity, flow.linkUserId)
        : await startBrowserSession(deps, visitor, async (tx, now) => {
            const user = await findOrBindUser(tx, identity, now)
            await completeFirstSignIn(tx, identity, user, now)
            return user
          })
      return seeOther(flow.returnTo, [sessionCookie(deps, session.secret)])
    }),
  )
}

/** Adds the identity to the user who began to link it, if they are still the one signed in. */
async function linkTo(deps: SignInDeps, visitor: Visitor, identity: Identity, userId: string) {
  const session = await callerSession(deps, visitor.request)
  if (!session?.byCookie || session.user_id !== userId) throw new SignInRefused('link_needs_session')
  return startBrowserSession(deps, visitor, async (tx, now) => {
    const user = await linkIdentity(tx, identity, userId, now)
    await completeFirstSignIn(tx, identity, user, now)
    return { id: userId, org_id: session.principal.org_id }
  })
}

function checkedIdentity({ log }: SignInDeps, provider: Provider, person: SignedInPerson): Identity {
  const fault = provider.faultOf(person.idToken)
  if (fault === undefined) return readIdentity(provider, person)
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
