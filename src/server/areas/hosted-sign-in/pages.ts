import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'

const REFUSALS = {
  stale: {
    status: 400,
    title: 'Sign-in could not be completed',
    text: 'It was started in another browser or tab, took too long, or was already completed.',
  },
  return_not_allowed: {
    status: 400,
    title: 'This address is not allowed',
    text: 'The link that you followed asks to continue at an address that is not allowed. Tell the owner of the link.',
  },
  unreachable: {
    status: 503,
    title: 'The sign-in service does not answer',
    text: 'Nothing is wrong with your account. Wait a moment and try again.',
  },
} as const

export function refusalPage(reason: keyof typeof REFUSALS, cookies: readonly string[] = []): Response {
  const { status, title, text } = REFUSALS[reason]
  const body = html`<p>${text}</p>
<ul class="ways"><li><a class="button main" href="/auth/login">Start again</a></li></ul>`
  return pageResponse({ title, status, body, cookies })
}
