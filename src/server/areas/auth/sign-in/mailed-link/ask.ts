import { Email } from '#contract/auth/auth.ts'
import { askMailedLink, mailedLinkForm } from '#contract/auth/mailed-link.ts'
import { refuseCrossSite } from '#edge/credentials/csrf.ts'
import { seeOther } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import { kindOfToken, makeToken } from '../../model/token-format.ts'
import { findInvitation } from '../../store/invitations.ts'
import type { SignInDeps } from '../deps.ts'
import { browserOf } from '../flow.ts'
import { asPage } from '../pages.ts'
import { checkReturnTo } from '../start.ts'
import { createLinkLimiter } from './link-limits.ts'
import { LINK_SECONDS, mailLink } from './mail-link.ts'
import { askLinkPage, linkAskedPage } from './mailed-link-pages.ts'
import { requireMailedLinks } from './require-mailed-links.ts'

export function askLinkRoutes(deps: SignInDeps): Route[] {
  const hasMailServer = deps.mailFiles === undefined
  const countLink = createLinkLimiter(deps)
  return [
    route(
      mailedLinkForm,
      asPage(async ({ return_to }) => {
        requireMailedLinks(deps)
        return askLinkPage({ returnTo: checkReturnTo(deps, return_to), hasMailServer })
      }),
    ),
    route(
      askMailedLink,
      asPage(async (_, { request, clientAddress }) => {
        requireMailedLinks(deps)
        refuseCrossSite(request, deps.publicUrls.signIn)
        const asked = await readForm(deps, request)
        if (asked instanceof Response) return asked
        await countLink(asked.email, clientAddress)
        // All tabs of a browser share this value, so that a second link does not break the first.
        const browser = browserOf(deps, request) ?? makeToken('code')
        await mailLink(deps, { ...asked, browser })
        const cookie = deps.cookies.set('flow', browser, LINK_SECONDS)
        return linkAskedPage({ email: asked.isInvited ? undefined : asked.email, hasMailServer, cookie })
      }),
    ),
  ]
}

type LinkRequest = { email: string; returnTo: string; isInvited: boolean }

/** Returns the page to answer with if the form names no address. */
async function readForm(deps: SignInDeps, request: Request): Promise<LinkRequest | Response> {
  const form = new URLSearchParams(await request.text())
  const invitation = form.get('invitation')
  if (invitation !== null) return readInvitation(deps, invitation)
  const returnTo = checkReturnTo(deps, form.get('return_to') ?? undefined)
  const email = Email.safeParse((form.get('email') ?? '').trim())
  if (email.success) return { email: email.data, returnTo, isInvited: false }
  return askLinkPage({ returnTo, hasMailServer: deps.mailFiles === undefined, isRefused: true })
}

/** The link goes to the invited address and leads back to the invitation, whose page says if it cannot be used. */
async function readInvitation({ db, keys }: SignInDeps, token: string): Promise<LinkRequest | Response> {
  const returnTo = `/auth/invitations/${encodeURIComponent(token)}`
  const isToken = kindOfToken(token) === 'invitation'
  const found = isToken && (await findInvitation(db, { hash: keys.hash('invitation', token), epoch: keys.epoch }))
  return found ? { email: found.email, returnTo, isInvited: true } : seeOther(returnTo)
}
