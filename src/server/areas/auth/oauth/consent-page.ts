import type { Scope } from '#contract/core/roles.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { isLoopback } from '#lib/net/loopback.ts'
import type { OAuthClient } from './client.ts'

const SCOPE_TEXTS: Record<Scope, string> = {
  'datasources:read': 'See which data sources you may ask',
  'datasources:query': 'Ask questions, within your own access',
  'functions:call': 'Call functions, within your own access',
  'notifications:read': 'Read your notifications',
  'notifications:ack': 'Mark your notifications as read',
}

export type ConsentView = {
  client: OAuthClient
  redirectUri: URL
  email: string
  orgs: readonly { id: string; name: string }[]
  chosenOrg: string | null
  scopes: readonly Scope[]
  csrf: string
  /** Maximum lifetime of the grant in days. */
  days: number
  /** Whether the client's metadata document changed since the person approved it. */
  changed: boolean
  /** The user's current grants for the same agent. Approving it for the same organization ends them. */
  replaces: readonly { org_id: string; isSameClient: boolean }[]
  fault?: string
}

/** Renders the consent page. Works without scripts. Shows what the client claims next to what we have verified. */
export function consentPageOf(view: ConsentView): Response {
  const { client, redirectUri } = view
  return pageResponse({
    title: `Connect ${client.name}?`,
    ...(view.fault !== undefined && { status: 400 }),
    body: html`<p>This agent asks to act for <strong>${view.email}</strong>. It can do only what you allow below and what your role allows.</p>
<dl>
<dt>Identity</dt><dd>${identity(client)}</dd>
<dt>Redirects to</dt><dd>${redirectUri.host}</dd>
</dl>
${isLoopback(redirectUri.hostname) && html`<p class="warning">This agent runs on this computer. Approve only if you have just started it yourself.</p>`}
${view.changed && html`<p class="warning">The description of this agent has changed since you last approved it.</p>`}
${view.replaces.length > 0 && replacement(view)}
${view.fault !== undefined && html`<p class="fault" role="alert">${view.fault}</p>`}
${view.orgs.length === 0 ? noOrg(view) : form(view)}`,
  })
}

/**
 * Anyone can register an agent under any name, so the page calls it the same agent only if the client id is the same.
 */
function replacement({ client, orgs, replaces }: ConsentView): Html {
  const names = orgs.filter(({ id }) => replaces.some(({ org_id }) => org_id === id)).map(({ name }) => name)
  const ending = `If you approve it for the same organization (${names.join(', ')}), that connection ends, also on another computer.`
  if (replaces.every(({ isSameClient }) => isSameClient))
    return html`<p>You have already connected this agent. ${ending}</p>`
  return html`<p class="warning">You have already connected an agent named ${client.name}. Nobody has verified that this is the same agent. ${ending}</p>`
}

function form({ orgs, chosenOrg, scopes, csrf, days }: ConsentView): Html {
  return html`<form method="post">
<input type="hidden" name="csrf" value="${csrf}">
<label for="org">Organization</label>
<select id="org" name="org_id">${orgs.map(({ id, name }) => html`<option value="${id}"${id === chosenOrg && html` selected`}>${name}</option>`)}</select>
<fieldset><legend>Allow this agent to</legend>
${scopes.map((scope) => html`<label class="tick"><input type="checkbox" name="scope" value="${scope}" checked> <span>${SCOPE_TEXTS[scope]}</span></label>`)}
</fieldset>
<button class="button main" name="decision" value="approve">Approve</button>
<button class="button" name="decision" value="deny">Deny</button>
</form>
<p class="soft">The connection lasts up to ${days} days. You can disconnect the agent at any time.</p>`
}

function noOrg({ csrf }: ConsentView): Html {
  return html`<p class="warning">You do not belong to an organization. Join or create one, then start again from the agent.</p>
<form method="post"><input type="hidden" name="csrf" value="${csrf}">
<button class="button" name="decision" value="deny">Back to the agent</button></form>`
}

function identity({ id, document }: OAuthClient): string {
  return document ? new URL(id).host : 'Not verified: the agent chose this name itself'
}

/**
 * Sends the browser to the agent by a page that refreshes. A redirect would not work: browsers check every redirect
 * after a form against the page's form-action policy, and the agent may redirect further to addresses we do not know.
 */
export function leavePage(to: string, name: string): Response {
  return pageResponse({
    title: `Back to ${name}`,
    refresh: to,
    body: html`<p><a class="button main" href="${to}">Continue</a></p>
<p class="soft">You are redirected automatically.</p>`,
  })
}

export function tooMuchPage(): Response {
  return pageResponse({
    title: 'This agent cannot be connected',
    status: 400,
    body: html`<p>The request of the agent is too long or contains invalid characters. Report this to the maker of the agent.</p>`,
  })
}

export function consentOverPage(): Response {
  return pageResponse({
    title: 'This request has expired',
    status: 400,
    body: html`<p>It was already answered, is older than ten minutes, was started in another browser, or the registration of the agent
has expired. Start again from the agent.</p>`,
  })
}
