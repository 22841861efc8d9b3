import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { SignInRefused } from './refusals.ts'

type Method = { label: string; href: string }

export function methodsPage(methods: readonly Method[], signedOut: boolean): Response {
  const title = signedOut ? 'You are signed out' : 'Sign in'
  return pageResponse({
    title,
    body: html`<ul class="ways">${methods.map(({ label, href }) => html`<li><a class="button" href="${href}">${label}</a></li>`)}</ul>`,
  })
}

type LocalForm = { returnTo: string; allowed: readonly string[]; otherWay: string; fault?: string }

/** `otherWay` is the address of the form that mails a sign-in link. */
export function localFormPage(of: LocalForm): Response {
  return pageResponse({
    title: 'Sign in on this machine',
    ...(of.fault !== undefined && { status: 403 }),
    formTargets: [...new Set(of.allowed.map((base) => new URL(base).origin))],
    body: html`<p class="soft">Enter the code from the file <code>sign-in-code</code> in the data folder. The server prints its path
when it starts. Each code works once and for 15 minutes; this page renews one that is older.</p>
${of.fault !== undefined && html`<p class="fault" role="alert" id="fault">${of.fault}</p>`}
<form method="post" action="/auth/local">
<input type="hidden" name="return_to" value="${of.returnTo}">
<label for="code">Code</label>
<input id="code" name="code" required autofocus autocomplete="off" autocapitalize="off" spellcheck="false"${of.fault !== undefined && html` aria-describedby="fault" aria-invalid="true"`}>
<button class="button main">Sign in</button>
</form>
<p class="soft">You are not the owner? <a href="${of.otherWay}">Sign in by mail</a></p>`,
  })
}

/** Wraps a handler so that a thrown SignInRefused is answered as a page. */
export function asPage<A extends unknown[]>(answer: (...args: A) => Promise<Response>) {
  return async (...args: A): Promise<Response> => {
    try {
      return await answer(...args)
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error
      const { status, title, text } = error.page
      const body = html`<p>${text}</p>
<ul class="ways"><li><a class="button main" href="/auth/login">Start again</a></li></ul>`
      return pageResponse({ title, status, body })
    }
  }
}
