import type { Interaction } from 'oidc-provider'
import { ServiceError } from '#contract/errors.ts'
import { consentDecision, consentPage } from '#contract/oauth.ts'
import { Scope } from '#contract/roles.ts'
import { readCookie } from '#edge/cookies.ts'
import { isSameOrigin } from '#edge/csrf.ts'
import { seeOther } from '#edge/page.ts'
import { type Route, route } from '#edge/route.ts'
import { equalSecrets } from '#lib/keys.ts'
import { callerSession } from '../sign-in/caller-session.ts'
import { findMe, pageOrgsOf } from '../store/members.ts'
import { approve } from './approve.ts'
import { type ConsentView, consentOverPage, consentPageOf } from './consent-page.ts'
import type { OAuthDeps } from './deps.ts'
import { findClient } from './find-client.ts'
import { type AuthorizationServer, CONSENT_PATH, INTERACTION_COOKIE } from './provider.ts'
import { findResource, scopesFor } from './resources.ts'
import { findLastDigest } from './store/grants.ts'

export function consentRoutes(deps: OAuthDeps, server: () => AuthorizationServer): Route[] {
  return [
    route(consentPage, async ({ uid }, { request }) => {
      const asked = await load(deps, server(), request, uid)
      if (asked instanceof Response) return asked
      return consentPageOf(asked.view)
    }),
    route(consentDecision, async ({ uid }, { request }) => {
      const asked = await load(deps, server(), request, uid)
      if (asked instanceof Response) return asked
      const form = new URLSearchParams(await request.text())
      refuseForged(deps, request, form, asked.view)
      return decide(deps, asked, form)
    }),
  ]
}

type Asked = {
  interaction: Interaction
  view: ConsentView
  person: { id: string }
  resource: string
}

/** What is asked, for the person in this browser; or where they must go first. */
async function load(
  deps: OAuthDeps,
  { provider }: AuthorizationServer,
  request: Request,
  uid: string,
): Promise<Asked | Response> {
  const mine = readCookie(request, [INTERACTION_COOKIE]) === uid
  const interaction = mine ? await provider.Interaction.find(uid) : undefined
  if (!interaction || interaction.result) return consentOverPage()
  const session = await callerSession(deps, request)
  if (!session?.byCookie) {
    return seeOther(`/auth/login?${new URLSearchParams({ return_to: `${CONSENT_PATH}/${uid}` }).toString()}`)
  }
  const { client_id, redirect_uri, scope, resource } = interaction.params as Record<string, string>
  const client = await findClient(deps, client_id!, 'recent')
  const target = findResource(deps.publicUrls().mcp, resource!)
  if (!client || !target) return consentOverPage()
  const { id, user_id, principal } = session
  const [orgs, { email }, before] = await Promise.all([
    pageOrgsOf(deps.db, user_id, null, MOST_ORGS),
    findMe(deps.db, user_id, null),
    findLastDigest(deps.db, client.id, user_id),
  ])
  const view: ConsentView = {
    client,
    redirectUri: new URL(redirect_uri!),
    email: email ?? '',
    orgs: orgs.slice(0, MOST_ORGS),
    chosenOrg: principal.org_id,
    scopes: scopesFor(target, scope ?? null),
    csrf: deps.keys.hash('consent', `${uid} ${id}`).toString('hex'),
    changed: before !== undefined && before !== client.document?.digest,
  }
  return { interaction, view, person: { id: user_id }, resource: target.id }
}

const MOST_ORGS = 100

/** From our own page, in the session it was shown to. */
function refuseForged(deps: OAuthDeps, request: Request, form: URLSearchParams, { csrf }: ConsentView): void {
  const ours = isSameOrigin(request, deps.publicUrls().issuer) && equalSecrets(form.get('csrf') ?? '', csrf)
  if (!ours) throw new ServiceError('CSRF', 'this was not sent from the page that asks')
}

async function decide(deps: OAuthDeps, asked: Asked, form: URLSearchParams): Promise<Response> {
  const { interaction, view } = asked
  if (form.get('decision') !== 'approve') {
    return finish(interaction, { error: 'access_denied', error_description: 'the person did not approve' })
  }
  const org = view.orgs.find(({ id }) => id === form.get('org_id'))
  const scopes = form.getAll('scope').map((scope) => Scope.safeParse(scope).data)
  const chosen = view.scopes.filter((scope) => scopes.includes(scope))
  if (!org) return consentPageOf({ ...view, fault: 'Choose one of your organizations.' })
  if (chosen.length === 0) return consentPageOf({ ...view, fault: 'Allow at least one thing, or deny.' })
  const { client, redirectUri } = view
  const grantId = await approve(deps, {
    client,
    org_id: org.id,
    user_id: asked.person.id,
    redirect_host: redirectUri.host,
    resource: asked.resource,
    scopes: chosen,
  })
  return finish(interaction, { login: { accountId: asked.person.id }, consent: { grantId } })
}

async function finish(interaction: Interaction, result: NonNullable<Interaction['result']>): Promise<Response> {
  interaction.result = result
  await interaction.persist()
  return seeOther(interaction.returnTo)
}
