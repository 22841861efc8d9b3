import type { Scope } from '#contract/core/roles.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { isLoopback } from '#lib/net/address/loopback.ts'
import type { OAuthClient } from '../clients/client.ts'
import { hasOwnScheme, redirectHostOf } from '../clients/redirect-uri.ts'
import type { Connection } from '../store/connections.ts'

const SCOPE_TEXTS: Record<Scope, string> = {
  'datasources:read': 'See which data sources you may ask',
  'datasources:query': 'Ask questions, within your own access',
  'functions:call': 'Call functions, within your own access',
  'notifications:read': 'Read your notifications',
  'notifications:ack': 'Mark your notifications as read',
}

export type ConsentView = {
  client: OAuthClient
  redirectUri: string
  email: string
  orgs: readonly { id: string; name: string }[]
  chosenOrg: string | null
  scopes: readonly Scope[]
  csrf: string
  /** Maximum lifetime of the grant in days. */
  days: number
  /** Whether the client's metadata document changed since the person approved it. */
  changed: boolean
  /** The user's living connections to the same agent, the one used last first. */
  connections: readonly Connection[]
  /** Ids of those that end if this one is approved. */
  ending: readonly string[]
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
<dt>Redirects to</dt><dd>${redirectHostOf(redirectUri)}</dd>
</dl>
${hasOwnScheme(redirectUri) && html`<p class="warning">If you approve, the browser opens the program on this computer that is installed for <code>${new URL(redirectUri).protocol}</code> addresses. Approve only if you have just started it yourself.</p>`}
${isLoopback(new URL(redirectUri).hostname) && html`<p class="warning">This agent runs on this computer. Approve only if you have just started it yourself.</p>`}
${view.changed && html`<p class="warning">The description of this agent has changed since you last approved it.</p>`}
${view.connections.length > 0 && beforeNote(view)}
${view.fault !== undefined && html`<p class="fault" role="alert">${view.fault}</p>`}
${view.orgs.length === 0 ? noOrg(view) : form(view)}
${view.connections.length > 0 && connectionsOf(view)}`,
  })
}

/**
 * Anyone can register an agent under any name, so the page calls it the same agent only if the client id is the same.
 */
function beforeNote({ client, connections, ending }: ConsentView): Html {
  const isSame = connections.every(({ client_id }) => client_id === client.id)
  return html`${
    isSame
      ? html`<p>You have already connected this agent.</p>`
      : html`<p class="warning">You have already connected an agent named ${client.name}. Nobody has verified that this is the same agent.</p>`
  }
${ending.length > 0 && html`<p class="warning">You have as many connections as possible. If you approve, one that has not been used for long ends: see below.</p>`}`
}

function connectionsOf({ connections, ending, csrf }: ConsentView): Html {
  return html`<details${ending.length > 0 && html` open`}><summary>Your connections to it: ${connections.length}</summary>
<form method="post"><input type="hidden" name="csrf" value="${csrf}">
<ul>${connections.map((one) => connectionOf(one, ending.includes(one.id)))}</ul>
</form>
</details>`
}

function connectionOf({ id, org_name, created_at, last_used_at, ...place }: Connection, isEnding: boolean): Html {
  const from = [place.connected_with, place.connected_from && `at ${place.connected_from}`].filter(Boolean).join(' ')
  const used = last_used_at ? `last used ${timeText(last_used_at)}` : 'never used'
  return html`<li>Connected to ${org_name} ${timeText(created_at)}${from !== '' && `, ${from}`}, ${used}.
${isEnding && html`<strong>It ends if you approve.</strong>`}
<button class="button" name="end" value="${id}">End this connection</button></li>
`
}

/** The page has no scripts that could know the time zone. */
function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
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
