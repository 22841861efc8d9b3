import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'

type Form = { returnTo: string; hasMailServer: boolean; isRefused?: boolean }

export function askLinkPage({ returnTo, hasMailServer, isRefused = false }: Form): Response {
  return pageResponse({
    title: 'Sign in by mail',
    ...(isRefused && { status: 400 }),
    body: html`<p class="soft">You get a link that signs you in once, within 15 minutes and in this browser.</p>
${!hasMailServer && mailFolderNote()}
${isRefused && html`<p class="fault" role="alert" id="fault">This is not an email address. Enter one such as ada@example.com.</p>`}
<form method="post" action="/auth/mailed-link">
<input type="hidden" name="return_to" value="${returnTo}">
<label for="email">Email address</label>
<input id="email" name="email" type="email" required autofocus maxlength="254" autocomplete="email"${isRefused && html` aria-describedby="fault" aria-invalid="true"`}>
<button class="button main">Mail me a link</button>
</form>`,
  })
}

/** The same page whether or not a mail was sent. Without `email` the address is that of an invitation. */
export function linkAskedPage(of: { email: string | undefined; hasMailServer: boolean; cookie: string }): Response {
  const address = of.email ?? 'the invited address'
  return pageResponse({
    title: of.hasMailServer ? 'Check your mail' : 'Ask the operator for the link',
    cookies: [of.cookie],
    body: html`<p>If ${address} can sign in here, ${of.hasMailServer ? 'a mail with a link is on its way' : 'a mail with a link was written'}.
Open the link in this browser within 15 minutes.</p>
${!of.hasMailServer && mailFolderNote()}
<p class="soft">An address can sign in once an owner has invited it, or the operator has added it.</p>`,
  })
}

/** Its form has no address, so it is sent to the address of the page itself. */
export function linkPage({ email, allowed }: { email: string; allowed: readonly string[] }): Response {
  return pageResponse({
    title: 'Sign in',
    formTargets: [...new Set(allowed.map((base) => new URL(base).origin))],
    body: html`<p>You sign in as ${email}.</p>
<form method="post"><button class="button main">Sign in</button></form>`,
  })
}

/** Names no path of the server, because anybody can open these pages. */
export function mailFolderNote(): Html {
  return html`<p class="warning">No mail server is configured here. The operator of this service finds the mail in the folder
<code>sign-in-mails</code> of the data folder (<code>.svc</code>, or <code>SVC_DATA_DIR</code>) and can pass on its link.</p>`
}
