import { ServiceError } from '#contract/core/errors.ts'
import { chatCallback } from '#contract/notifications/chat.ts'
import { html } from '#edge/pages/html.ts'
import { pageResponse } from '#edge/pages/page.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { type FlowDeps, resumeFlow } from './flow-store.ts'
import { completeInstallation } from './installation.ts'
import { completeLinking } from './link.ts'

type Deps = FlowDeps & Pick<NotificationDeps, 'sealer' | 'safeFetch' | 'people'>

/** Handles the return from the chat service, of an admin who installed the app or a person who linked an account. */
export function chatCallbackRoute({ chatApp, ...deps }: Deps): Route {
  return route(chatCallback, async ({ state, code, error }, { principal, request }) => {
    const { purpose, nonce } = await resumeFlow(deps, { state, principal, request })
    if (error !== undefined || code === undefined) throw cancelled()
    if (!chatApp) throw new ServiceError('CHAT_NOT_CONNECTED', 'No chat app is configured here any more.')
    const finishing = { ...deps, chatApp }
    return purpose === 'install'
      ? installedPage(await completeInstallation(finishing, principal, code))
      : linkedPage(await completeLinking(finishing, principal, code, nonce))
  })
}

function cancelled(): ServiceError {
  return new ServiceError('INVALID_REQUEST', 'This was cancelled at the chat service. Nothing was changed.')
}

function installedPage(label: string): Response {
  return pageResponse({
    title: 'Chat is connected',
    body: html`<p>Notifications of your organization can now go to ${label}, and people can link their accounts.</p>
<p><a href="/settings/organization/integrations">Back to the integrations</a></p>`,
  })
}

function linkedPage(displayName: string): Response {
  return pageResponse({
    title: 'Your chat account is linked',
    body: html`<p>You get direct messages about the apps you follow as ${displayName}.</p>
<p><a href="/settings/profile">Back to your profile</a></p>`,
  })
}
