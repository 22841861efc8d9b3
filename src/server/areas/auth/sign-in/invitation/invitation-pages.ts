import type { Role } from '#contract/core/roles.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { inviterName } from '../../members/invitation-mail.ts'
import type { InvitationDetails } from '../../store/invitations.ts'
import { mailFolderNote } from '../mailed-link/mailed-link-pages.ts'

const REFUSALS = {
  unknown: {
    status: 404,
    title: 'This link is not valid',
    text: 'The invitation does not exist, or a newer link was mailed since. Open the link in the newest mail, or ask the person who invited you for a new invitation.',
  },
  used: {
    status: 409,
    title: 'This invitation was already used',
    text: 'Every invitation works once. If you accepted it, sign in as usual.',
  },
  revoked: {
    status: 409,
    title: 'This invitation was withdrawn',
    text: 'An owner of the organization has withdrawn it. If you think that is a mistake, ask them for a new one.',
  },
  expired: {
    status: 409,
    title: 'This invitation has expired',
    text: 'An invitation is valid for seven days. Ask the person who invited you for a new one.',
  },
} as const

export function refusedPage(reason: keyof typeof REFUSALS): Response {
  const { status, title, text } = REFUSALS[reason]
  return pageResponse({ title, status, body: html`<p>${text}</p>` })
}

/**
 * `isByMail`: people sign in by a mailed link, because there is no identity provider. Without `hasMailServer` the mail is
 * a file.
 */
type SignInWay = { token: string; isByMail: boolean; hasMailServer: boolean }

export function signInFirstPage(invitation: InvitationDetails, way: SignInWay): Response {
  const { token, isByMail } = way
  const signIn = html`<p class="soft">Sign in with the address that the mail was sent to.</p>
${signInLink(token, 'Sign in to accept')}`
  return pageResponse({
    title: 'You are invited',
    body: html`${summary(invitation)}
${isByMail ? mailLinkForm(way) : signIn}`,
  })
}

/** The form has no address, so it is sent to the address of the page itself. */
export function acceptPage(invitation: InvitationDetails): Response {
  return pageResponse({
    title: 'You are invited',
    body: html`${summary(invitation)}
<p>You are signed in as ${invitation.email}.</p>
<form method="post"><button class="button main">Accept</button></form>`,
  })
}

/** Does not say which address was invited, because the link may have been passed on. */
export function otherAccountPage({ email, ...way }: SignInWay & { email: string | undefined }): Response {
  const { token, isByMail } = way
  const title = 'This invitation is for another account'
  const text =
    email === undefined
      ? 'The email address of your account is not verified.'
      : `You are signed in as ${email}, and the invitation was sent to another address.`
  const signIn = html`<p>Sign in with the address that the mail was sent to.</p>
${signInLink(token, 'Sign in with another account')}`
  const body = html`<p>${text}</p>
${isByMail ? mailLinkForm(way) : signIn}`
  return pageResponse({ title, status: 403, body })
}

export function joinedPage(orgName: string, role: Role, cookies: readonly string[]): Response {
  const body = html`<p>You are now a member of ${subjectLine(orgName)} with the role ${role}.</p>
<ul class="ways"><li><a class="button main" href="/">Continue</a></li></ul>`
  return pageResponse({ title: 'Welcome', body, cookies })
}

function summary({ inviter, org_name, role }: InvitationDetails): Html {
  return html`<dl>
<dt>Invited by</dt><dd>${inviterName(inviter)}</dd>
<dt>Organization</dt><dd>${subjectLine(org_name)}</dd>
<dt>Your role</dt><dd>${role}</dd>
</dl>`
}

function signInLink(token: string, label: string): Html {
  const query = new URLSearchParams({ return_to: `/auth/invitations/${token}` }).toString()
  return html`<ul class="ways"><li><a class="button main" href="/auth/login?${query}">${label}</a></li></ul>`
}

function mailLinkForm({ token, hasMailServer }: SignInWay): Html {
  return html`<p class="soft">To accept, sign in with the invited address. A link that signs you in goes there by mail; open it in
this browser.</p>
${!hasMailServer && mailFolderNote()}
<form method="post" action="/auth/mailed-link">
<input type="hidden" name="invitation" value="${token}">
<button class="button main">Mail a sign-in link</button>
</form>`
}
