import type { Scope } from '#contract/core/roles.ts'
import { type Html, html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { isLoopback } from '#lib/net/loopback.ts'
import type { OAuthClient } from './client.ts'

const WORDS: Record<Scope, string> = {
  'datasources:read': 'See which data sources you may ask',
  'datasources:query': 'Ask them questions, as you may yourself',
  'functions:call': 'Call functions, as you may yourself',
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
  /** The client's document differs from the one this person approved before. */
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
    body: html`<p>It asks to act for <strong>${view.email}</strong>, with your role and never more than you may do yourself.</p>
<dl>
<dt>Who it is</dt><dd>${identity(client)}</dd>
<dt>Sends you back to</dt><dd>${redirectUri.host}</dd>
</dl>
${isLoopback(redirectUri.hostname) && html`<p class="warning">It answers on this computer. Approve only if you have just started it yourself.</p>`}
${view.changed && html`<p class="warning">What it says of itself has changed since you approved it before.</p>`}
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
  const ending = `Approving it for the same organization (${names.join(', ')}) ends that connection, also one on another computer.`
  if (replaces.every(({ isSameClient }) => isSameClient)) return html`<p>You have connected it before. ${ending}</p>`
  return html`<p class="warning">An agent that calls itself ${client.name} is already connected. Nobody has checked that this is the same one. ${ending}</p>`
}

function form({ orgs, chosenOrg, scopes, csrf, days }: ConsentView): Html {
  return html`<form method="post">
<input type="hidden" name="csrf" value="${csrf}">
<label for="org">Organization</label>
<select id="org" name="org_id">${orgs.map(({ id, name }) => html`<option value="${id}"${id === chosenOrg && html` selected`}>${name}</option>`)}</select>
<fieldset><legend>It may</legend>
${scopes.map((scope) => html`<label class="tick"><input type="checkbox" name="scope" value="${scope}" checked> <span>${WORDS[scope]}</span></label>`)}
</fieldset>
<button class="button main" name="decision" value="approve">Approve</button>
<button class="button" name="decision" value="deny">Deny</button>
</form>
<p class="soft">It stays connected for up to ${days} days. You can disconnect it at any time.</p>`
}

function noOrg({ csrf }: ConsentView): Html {
  return html`<p class="warning">You are in no organization yet. Join or create one, then start again from the agent.</p>
<form method="post"><input type="hidden" name="csrf" value="${csrf}">
<button class="button" name="decision" value="deny">Back to the agent</button></form>`
}

function identity({ id, document }: OAuthClient): string {
  return document ? new URL(id).host : 'It gave this name itself; nobody has checked it'
}

/**
 * Sends the browser to the agent by a page that refreshes. A redirect would not work: browsers check every redirect
 * after a form against the page's form-action policy, and the agent may redirect further to addresses we do not know.
 */
export function leavePage(to: string, name: string): Response {
  return pageResponse({
    title: `Back to ${name}`,
    refresh: to,
    body: html`<p><a class="button main" href="${to}">Go on</a></p>
<p class="soft">This happens by itself.</p>`,
  })
}

export function tooMuchPage(): Response {
  return pageResponse({
    title: 'This agent cannot be connected',
    status: 400,
    body: html`<p>Its request is too long, or holds what no request may hold.</p>`,
  })
}

export function consentOverPage(): Response {
  return pageResponse({
    title: 'This request is over',
    status: 400,
    body: html`<p>It was answered, it is older than ten minutes, it was begun in another browser, or the agent's registration is
over. Start again from the agent.</p>`,
  })
}
