import type { SignInDeps } from '../deps.ts'

/**
 * Returns the address of the form that mails a link. It is complete, so that the cookie of the browser is set for the
 * host that the link will be opened at, also for a person who came by another name of this machine.
 */
export function mailedLinkUrl({ publicUrls }: Pick<SignInDeps, 'publicUrls'>, returnTo: string): string {
  const url = new URL('/auth/mailed-link', publicUrls.signIn)
  if (returnTo !== '/') url.searchParams.set('return_to', returnTo)
  return url.href
}
