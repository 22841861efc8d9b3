import { mailedLinkPage, signInByMailedLink } from '#contract/auth/mailed-link.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { newId } from '#edge/ids.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { kindOfToken } from '../../model/token-format.ts'
import { ensureUser } from '../../store/people.ts'
import type { SignInDeps } from '../deps.ts'
import { browserOf } from '../flow.ts'
import { asPage } from '../pages.ts'
import { SignInRefused } from '../refusals.ts'
import { LINK_RETURN } from '../sealed-return.ts'
import { sessionCookie, startBrowserSession } from '../session/browser-session.ts'
import { lockUser } from '../store.ts'
import { linkPage } from './mailed-link-pages.ts'
import { requireMailedLinks } from './require-mailed-links.ts'
import { confirmEmail, findLink, type LinkRow, maySignInByLink, takeLink } from './store.ts'

/** Routes of the link in the mail: its page, which changes nothing, and the button on it, which signs in. */
export function redeemLinkRoutes(deps: SignInDeps): Route[] {
  const { allowedRedirectBaseUrls: allowed } = deps
  return [
    route(
      mailedLinkPage,
      asPage(async ({ token }, { request }) => {
        requireMailedLinks(deps)
        const { email } = await readLink(deps, request, { token, read: findLink })
        return linkPage({ email, allowed })
      }),
    ),
    route(
      signInByMailedLink,
      asPage(async ({ token }, { request, clientAddress }) => {
        requireMailedLinks(deps)
        refuseCrossSite(request, deps.publicUrls.signIn)
        // Deleted before it is checked, because a link sent by another browser has leaked.
        const { email, returnTo } = await readLink(deps, request, { token, read: takeLink })
        const visitor = { request, clientAddress }
        const session = await startBrowserSession(deps, visitor, (tx, now) => confirmUser(tx, deps, { email, now }))
        return seeOther(returnTo, [sessionCookie(deps, session.secret)])
      }),
    ),
  ]
}

type ReadLink = (db: Querier, key: { hash: Buffer; epoch: string }) => Promise<LinkRow | undefined>

/** Throws SignInRefused unless the link is valid and this is the browser that asked for it. */
async function readLink(
  deps: SignInDeps,
  request: Request,
  { token, read }: { token: string; read: ReadLink },
): Promise<{ email: string; returnTo: string }> {
  const { db, keys, clock, sealer } = deps
  const hash = keys.hash('mailed_link', token)
  const isToken = kindOfToken(token) === 'mailed_link'
  const link = isToken ? await read(db, { hash, epoch: keys.epoch }) : undefined
  if (!link || link.expires_at <= clock.now()) throw new SignInRefused('link_unusable')
  const browser = browserOf(deps, request)
  if (!browser || !keys.hash('browser', browser).equals(link.browser_hash))
    throw new SignInRefused('link_other_browser')
  const { email, return_to, sealed_return_to: sealed } = link
  // Null in a link that the former release stored.
  return { email, returnTo: sealed === null ? return_to : sealer.open(sealed, LINK_RETURN.context({ hash })) }
}

/**
 * Returns the user of the address, created for an open invitation. Asks again who may sign in: since the mail the user
 * may have been bound to an identity, or the invitation withdrawn. Joins no organization, unlike a first sign-in with
 * an identity provider.
 */
async function confirmUser(
  tx: Tx,
  { keys }: Pick<SignInDeps, 'keys'>,
  { email, now }: { email: string; now: Date },
): Promise<{ id: string }> {
  if (!(await maySignInByLink(tx, { email, epoch: keys.epoch, now }))) throw new SignInRefused('link_unusable')
  const { id } = await ensureUser(tx, { id: newId('usr'), email, name: null, created_at: now })
  const { bound } = await lockUser(tx, id)
  if (bound) throw new SignInRefused('link_unusable')
  if (await confirmEmail(tx, id, now)) {
    await audit(tx, { org_id: null, actor: id, action: 'email.confirmed', target: id, at: now })
  }
  return { id }
}
