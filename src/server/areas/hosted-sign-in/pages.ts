import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'

const REFUSALS = {
  stale: {
    status: 400,
    title: 'This sign-in cannot be finished',
    text: 'It was started in another browser or tab, took too long, or was finished before.',
  },
  return_not_allowed: {
    status: 400,
    title: 'We do not send people there',
    text: 'The link that brought you here asks to go on to an address that is not allowed. Go back to where you came from and tell them.',
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
