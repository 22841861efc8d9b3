import type { Interaction } from 'oidc-provider'
import { consentDecision, consentPage } from '#contract/auth/oauth.ts'
import { ServiceError } from '#contract/core/errors.ts'
import { Scope } from '#contract/core/roles.ts'
import { readCookie } from '#edge/credentials/cookies.ts'
import { isSameOrigin } from '#edge/credentials/csrf.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { equalSecrets } from '#lib/crypto/keys.ts'
import { browserName } from '../../model/browser-name.ts'
import { callerSession } from '../../sign-in/session/caller-session.ts'
import { findMe, pageOrgsOf } from '../../store/members.ts'
import type { OAuthClient } from '../clients/client.ts'
import { DocumentFault } from '../clients/client-documents.ts'
import { findClient } from '../clients/find-client.ts'
import { redirectHostOf } from '../clients/redirect-uri.ts'
import { CONSENT_PATH, DAY_MS, INTERACTION_COOKIE, type OAuthDeps } from '../deps.ts'
import { endConnection } from '../end-connection.ts'
import type { AuthorizationServer } from '../provider.ts'
import { findResource, scopesFor } from '../resources.ts'
import type { SerialQueue } from '../serial-queue.ts'
import { consumeArtifact } from '../store/artifacts.ts'
import { lockRegistrations } from '../store/clients.ts'
import { findLastApprovedDigest } from '../store/grants.ts'
import { deleteShown, recordShown, wasShownSince } from '../store/shown-pages.ts'
import { ApprovalRefused, approve, grantExpiry } from './approve.ts'
import { type ConsentView, consentOverPage, consentPageOf, leavePage } from './consent-page.ts'
import { makeConsentTicket } from './consent-ticket.ts'
import { findPlaces } from './make-place.ts'

export function consentRoutes(
  base: OAuthDeps,
  server: () => Promise<AuthorizationServer>,
  inQueue: SerialQueue,
): Route[] {
  const deps = { ...base, inQueue }
  return [
    route(consentPage, async ({ uid }, { request }) => {
      const consent = await loadConsent(deps, await server(), request, uid)
      if (consent instanceof Response) return consent
      if (!(await protectRegistration(deps, consent))) return consentOverPage()
      return consentPageOf(consent.view)
    }),
    route(consentDecision, async ({ uid }, { request, clientAddress }) => {
      const consent = await loadConsent(deps, await server(), request, uid)
      if (consent instanceof Response) return consent
      const form = new URLSearchParams(await request.text())
      refuseForged(deps, request, form, consent.view)
      const end = form.get('end')
      if (end !== null) return endShown(deps, consent, end, uid)
      const browser = { connected_from: clientAddress, connected_with: browserName(request.headers.get('user-agent')) }
      return decide(deps, consent, form, browser)
    }),
  ]
}

type Deps = OAuthDeps & { readonly inQueue: SerialQueue }

type ConsentRequest = {
  interaction: Interaction
  view: ConsentView
  person: { id: string }
  resource: string
}

/** Loads the agent's request for the user of this browser, or returns the page they must go to first. */
async function loadConsent(
  deps: OAuthDeps,
  { provider }: AuthorizationServer,
  request: Request,
  uid: string,
): Promise<ConsentRequest | Response> {
  const interaction = isStartedInThisBrowser(deps, request, uid) ? await provider.Interaction.find(uid) : undefined
  if (!interaction || interaction.result) return consentOverPage()
  const session = await callerSession(deps, request)
  if (!session?.byCookie) {
    return seeOther(`/auth/login?${new URLSearchParams({ return_to: `${CONSENT_PATH}/${uid}` }).toString()}`)
  }
  const { client_id, redirect_uri, scope, resource } = interaction.params as Record<string, string>
  const client = await findAskingClient(deps, client_id!)
  const target = findResource(deps.publicUrls.mcp, resource!)
  if (!client || !target) return consentOverPage()
  const { id, user_id, principal } = session
  const now = deps.clock.now()
  const agent = {
    client_id: client.id,
    redirect_host: redirectHostOf(redirect_uri!),
    user_id,
    epoch: deps.keys.epoch,
    now,
  }
  const [orgs, { email }, before, places] = await Promise.all([
    pageOrgsOf(deps.db, user_id, { before: null, limit: MAX_ORGS }),
    findMe(deps.db, user_id, null),
    findLastApprovedDigest(deps.db, client.id, user_id),
    findPlaces(deps.db, { ...agent, isRegistered: client.expiresAt !== undefined }),
  ])
  const view: ConsentView = {
    client,
    redirectUri: redirect_uri!,
    email: email ?? '',
    orgs: orgs.slice(0, MAX_ORGS),
    chosenOrg: principal.org_id,
    scopes: scopesFor(target, scope ?? null),
    csrf: deps.keys.hash('consent', `${uid} ${id}`).toString('hex'),
    days: Math.ceil((grantExpiry(client, now).getTime() - now.getTime()) / DAY_MS),
    changed: before !== undefined && before !== client.document?.digest,
    connections: places.connections.toReversed(),
    ending: typeof places.ending === 'string' ? [] : places.ending.map((one) => one.id),
  }
  return { interaction, view, person: { id: user_id }, resource: target.id }
}

const MAX_ORGS = 100
/** A consent page shown again within this time is not recorded again. */
const SHOWN_AGAIN_MS = 60_000

/**
 * Protects the client's registration from eviction while a user looks at the consent page. Returns false if the
 * registration is gone. A user without an organization cannot approve, so their page protects nothing.
 */
async function protectRegistration({ db, clock, inQueue }: Deps, { view, person }: ConsentRequest): Promise<boolean> {
  // Only registrations expire; other clients are never evicted.
  if (view.client.expiresAt === undefined || view.orgs.length === 0) return true
  const page = { client_id: view.client.id, user_id: person.id }
  const since = new Date(clock.now().getTime() - SHOWN_AGAIN_MS)
  if (await wasShownSince(db, page, since)) return true
  return inQueue(() =>
    db.tx(async (tx) => {
      // Without the lock a concurrent registration could still evict this one.
      await lockRegistrations(tx)
      return recordShown(tx, page, clock.now())
    }),
  )
}

/**
 * Whether the authorization was started in this browser. If users sign in at another host than the issuer's, the cookie
 * is not sent here, and the last step checks it instead.
 */
function isStartedInThisBrowser({ publicUrls }: OAuthDeps, request: Request, uid: string): boolean {
  const { issuer, signIn } = publicUrls
  return new URL(issuer).host !== new URL(signIn).host || readCookie(request, [INTERACTION_COOKIE]) === uid
}

/** Returns undefined for an unknown client, and for one whose document can no longer be fetched or used. */
async function findAskingClient(deps: OAuthDeps, id: string): Promise<OAuthClient | undefined> {
  try {
    return await findClient(deps, id, 'recent')
  } catch (error) {
    if (error instanceof DocumentFault) return undefined
    throw error
  }
}

/** Throws CSRF unless the decision came from our own page, in the session that the page was shown to. */
function refuseForged(deps: OAuthDeps, request: Request, form: URLSearchParams, { csrf }: ConsentView): void {
  const isOurs = isSameOrigin(request, deps.publicUrls.signIn) && equalSecrets(form.get('csrf') ?? '', csrf)
  if (!isOurs)
    throw new ServiceError('CSRF', 'This request did not come from the consent page. Start again from the agent.')
}

/** Ends one of the connections on the page and shows the page again. */
async function endShown(deps: Deps, { view, person }: ConsentRequest, id: string, uid: string): Promise<Response> {
  const isShown = view.connections.some((one) => one.id === id)
  const by = { actor: person.id, user_id: person.id }
  if (isShown) await deps.db.tx((tx) => endConnection(tx, { id, user_id: person.id }, by, deps.clock.now()))
  deps.onRevoked()
  return seeOther(`${CONSENT_PATH}/${uid}`)
}

type Browser = { readonly connected_from: string; readonly connected_with: string | null }

async function decide(deps: Deps, consent: ConsentRequest, form: URLSearchParams, browser: Browser): Promise<Response> {
  const { view, resource } = consent
  if (form.get('decision') !== 'approve') {
    return finish(deps, consent, async () => ({
      error: 'access_denied',
      error_description: 'the person denied the request',
    }))
  }
  const org = view.orgs.find(({ id }) => id === form.get('org_id'))
  const ticked = form.getAll('scope').map((scope) => Scope.safeParse(scope).data)
  const scopes = view.scopes.filter((scope) => ticked.includes(scope))
  if (!org) return consentPageOf({ ...view, fault: 'Choose one of your organizations.' })
  if (scopes.length === 0)
    return consentPageOf({ ...view, fault: 'Select at least one permission, or deny the request.' })
  const { client, redirectUri } = view
  const user_id = consent.person.id
  const approval = {
    client,
    org_id: org.id,
    user_id,
    redirect_host: redirectHostOf(redirectUri),
    resource,
    scopes,
    ...browser,
  }
  try {
    return await finish(deps, consent, async (tx, at) => {
      const grantId = await approve(tx, deps, approval, at)
      return grantId === undefined ? undefined : { login: { accountId: user_id }, consent: { grantId } }
    })
  } catch (error) {
    // The transaction was rolled back, so the user can disconnect another agent and submit the page again.
    if (error instanceof ApprovalRefused) return consentPageOf({ ...view, fault: error.message })
    throw error
  }
}

type Result = NonNullable<Interaction['result']>
type Tx = Parameters<Parameters<OAuthDeps['db']['tx']>[0]>[0]

/** Records the first decision only, however often the form is submitted, and continues the authorization. */
async function finish(
  deps: Deps,
  { interaction, view, person }: ConsentRequest,
  outcome: (tx: Tx, at: Date) => Promise<Result | undefined>,
): Promise<Response> {
  const at = deps.clock.now()
  const key = { kind: 'Interaction' as const, hash: deps.keys.hash('oauth', `Interaction ${interaction.uid}`) }
  const take = async (tx: Tx) => {
    if (!(await consumeArtifact(tx, key, at))) return undefined
    const decision = await outcome(tx, at)
    await deleteShown(tx, { client_id: view.client.id, user_id: person.id })
    return decision
  }
  const result = await deps.inQueue(() => deps.db.tx(take))
  if (!result) return consentOverPage()
  const { ticket, hash } = makeConsentTicket(deps)
  interaction.result = { ...result, ticket: hash }
  await interaction.persist()
  return leavePage(`${interaction.returnTo}?${new URLSearchParams({ ticket }).toString()}`, view.client.name)
}
