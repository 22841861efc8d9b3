import { acceptInvitationForm, invitationPage } from '#contract/auth/invitation-page.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { type Route, route } from '#edge/route/route.ts'
import { redeemInvitation } from '../../members/accept.ts'
import { kindOfToken } from '../../model/token-format.ts'
import { findConfirmedEmail, findInvitation, type InvitationDetails } from '../../store/invitations.ts'
import type { SignInDeps } from '../deps.ts'
import { hasMailedLinks } from '../mailed-link/require-mailed-links.ts'
import { sessionCookie } from '../session/browser-session.ts'
import { type CallerSession, callerSession } from '../session/caller-session.ts'
import { replaceSession } from '../session/switch-org.ts'
import { acceptPage, joinedPage, otherAccountPage, refusedPage, signInFirstPage } from './invitation-pages.ts'

/**
 * The page of an invitation. Its token only proves that somebody received the link: a person can accept if an identity
 * provider, or a mailed sign-in link, proved that the invited address is theirs.
 */
export function invitationPageRoutes(deps: SignInDeps): Route[] {
  return [
    route(invitationPage, async ({ token }, { request }) => {
      const open = await openInvitation(deps, request, token)
      return open instanceof Response ? open : acceptPage(open.invitation)
    }),
    route(acceptInvitationForm, async ({ token }, { request }) => {
      refuseCrossSite(request, deps.redirectBaseUrl)
      const open = await openInvitation(deps, request, token)
      return open instanceof Response ? open : accept(deps, { ...open, token })
    }),
  ]
}

type Open = { invitation: InvitationDetails; session: CallerSession }

/** Returns the invitation if the person of this browser can accept it, otherwise the page that says why not. */
async function openInvitation(deps: SignInDeps, request: Request, token: string): Promise<Open | Response> {
  const { db, keys, clock } = deps
  const isToken = kindOfToken(token) === 'invitation'
  const found = isToken && (await findInvitation(db, { hash: keys.hash('invitation', token), epoch: keys.epoch }))
  if (!found) return refusedPage('unknown')
  if (found.accepted_at !== null) return refusedPage('used')
  if (found.revoked_at !== null) return refusedPage('revoked')
  if (found.expires_at <= clock.now()) return refusedPage('expired')
  const session = await callerSession(deps, request)
  const way = { token, isByMail: hasMailedLinks(deps), hasMailServer: deps.mailFiles === undefined }
  if (!session?.byCookie) return signInFirstPage(found, way)
  // Signing in on this machine verifies no address.
  const email = await findConfirmedEmail(db, session.user_id)
  return email === found.email ? { invitation: found, session } : otherAccountPage({ email, ...way })
}

async function accept(deps: SignInDeps, { invitation, session, token }: Open & { token: string }): Promise<Response> {
  const accepting = { token, userId: session.user_id, actor: session.user_id, now: deps.clock.now() }
  const accepted = await deps.db.tx((tx) => redeemInvitation(tx, deps, accepting))
  // Somebody revoked it, or the form was sent twice, since the page was shown.
  if (!accepted) return refusedPage('used')
  const { secret } = await replaceSession(deps, session, accepted.org_id)
  deps.onRevoked()
  return joinedPage(invitation.org_name, accepted.role, [sessionCookie(deps, secret)])
}
