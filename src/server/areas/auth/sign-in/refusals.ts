/** Status and text of the page for each reason why a sign-in is refused. */
const REFUSALS = {
  unknown_provider: {
    status: 404,
    title: 'Unknown identity provider',
    text: 'This identity provider is not configured. Choose another way to sign in.',
  },
  stale: {
    status: 400,
    title: 'Sign-in could not be completed',
    text: 'It was started in another browser, took longer than ten minutes, or was already completed.',
  },
  cancelled: { status: 400, title: 'Sign-in cancelled', text: 'You cancelled the sign-in at the identity provider.' },
  not_confirmed: {
    status: 400,
    title: 'We could not confirm your identity',
    text: 'The answer of the identity provider did not pass our checks. If this happens again, tell your administrator.',
  },
  unreachable: {
    status: 503,
    title: 'The identity provider does not answer',
    text: 'Nothing is wrong with your account. Wait a moment and try again. If it still fails, tell the operator of this service.',
  },
  unverified: {
    status: 403,
    title: 'Your email address is not verified',
    text: 'The identity provider did not confirm your email address. Verify it there, or sign in another way.',
  },
  signs_in_otherwise: {
    status: 403,
    title: 'Use your other identity provider',
    text: 'Your email address belongs to an account that signs in with another identity provider. Sign in with that one. Then you can add this one.',
  },
  linked_elsewhere: {
    status: 409,
    title: 'This identity is already in use',
    text: 'It belongs to another person here, so it cannot be added to your account.',
  },
  link_needs_session: {
    status: 403,
    title: 'Sign in first',
    text: 'You can add another way to sign in only while you are signed in, from a page of this site.',
  },
  return_not_allowed: {
    status: 400,
    title: 'This address is not allowed',
    text: 'The link that you followed asks to continue at an address that is not allowed. Tell the owner of the link.',
  },
  link_unusable: {
    status: 403,
    title: 'This link does not work',
    text: 'It was already used, is older than 15 minutes, or is not complete. Ask for a new one.',
  },
  link_other_browser: {
    status: 403,
    title: 'Open this link in the other browser',
    text: 'A sign-in link works only in the browser in which it was asked for. Copy the link from the mail into that browser, or ask for a new one in this browser.',
  },
  hosted_incomplete: {
    status: 400,
    title: 'Incomplete link',
    text: 'The link needs both a redirect and a state. Go back and try again.',
  },
} as const

type RefusalReason = keyof typeof REFUSALS

/** A refused sign-in. It is answered with a page, because it happens in a browser. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly reason: RefusalReason
  constructor(reason: RefusalReason, options?: ErrorOptions) {
    super(`sign-in refused: ${reason}`, options)
    this.reason = reason
  }
  get page(): { status: number; title: string; text: string } {
    return REFUSALS[this.reason]
  }
}
