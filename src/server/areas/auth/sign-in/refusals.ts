/** Status and text of the page for each reason why a sign-in is refused. */
const REFUSALS = {
  unknown_provider: {
    status: 404,
    title: 'There is no such way to sign in',
    text: 'This address has not been set up here.',
  },
  stale: {
    status: 400,
    title: 'This sign-in cannot be finished',
    text: 'It was started in another browser, took longer than ten minutes, or was finished before.',
  },
  cancelled: { status: 400, title: 'You did not sign in', text: 'The sign-in was cancelled at the provider.' },
  not_confirmed: {
    status: 400,
    title: 'We could not confirm who you are',
    text: 'The answer of the provider did not pass our checks. If it happens again, tell your administrator.',
  },
  unreachable: {
    status: 503,
    title: 'The provider does not answer',
    text: 'Nothing is wrong with your account. Wait a moment and try again.',
  },
  unverified: {
    status: 403,
    title: 'Your email address is not verified',
    text: 'The provider does not vouch for your address, so it cannot open an account here. Verify it there, or sign in another way.',
  },
  signs_in_otherwise: {
    status: 403,
    title: 'You sign in another way',
    text: 'Your address already belongs to an account that signs in with another provider. Sign in as before; then you can add this one.',
  },
  linked_elsewhere: {
    status: 409,
    title: 'This account is already in use',
    text: 'It signs in somebody else here, so it cannot be added to you.',
  },
  link_needs_session: {
    status: 403,
    title: 'Sign in first',
    text: 'Another way to sign in can be added only by a person who is signed in, from our own pages.',
  },
  return_not_allowed: {
    status: 400,
    title: 'We do not send people there',
    text: 'The link that brought you here asks to go on to an address that is not allowed. Go back to where you came from and tell them.',
  },
  hosted_incomplete: {
    status: 400,
    title: 'This link is not complete',
    text: 'A sign-in for another address needs both its redirect and its state. Go back to where you came from and try again.',
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
