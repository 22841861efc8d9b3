import { ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { startChatInstallation } from '#contract/notifications/chat.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { ChatApp } from './app.ts'
import { startFlow } from './flow.ts'
import { finishInstallation, installationUrl } from './oauth.ts'
import { auditChat } from './routes.ts'
import { lockChat, saveChannel, saveInstallation } from './store.ts'

type StartDeps = {
  db: Db
  clock: Clock
  chatApp: ChatApp | undefined
  baseUrl: () => string
  sessionCookies: readonly string[]
}

export function startInstallationRoute(deps: StartDeps): Route {
  return route(startChatInstallation, async (_, { principal, request }) => {
    const { chatApp, baseUrl } = deps
    if (!chatApp) throw noApp()
    const { state, expiresAt } = await startFlow(deps, { purpose: 'install', principal, request })
    return { url: installationUrl({ chatApp, baseUrl }, state), expires_at: expiresAt.toISOString() }
  })
}

function noApp(): ServiceError {
  const detail =
    'No chat app is configured here. Ask the operator to set SVC_SLACK_CLIENT_ID and SVC_SLACK_CLIENT_SECRET, or connect a channel by its incoming webhook.'
  return new ServiceError('CONFLICT', detail)
}

type FinishDeps = {
  db: Db
  sealer: Sealer
  safeFetch: SafeFetch
  clock: Clock
  chatApp: ChatApp
  baseUrl: () => string
}

/** Saves the installation and its channel. Returns the label of the channel. */
export async function completeInstallation(deps: FinishDeps, principal: Member, code: string): Promise<string> {
  // The person began as an admin, and may have lost the role since.
  if (!roleAtLeast(principal.role, 'admin')) {
    throw new ServiceError(
      'FORBIDDEN',
      `This needs the role admin or above. Your role is ${principal.role}. An owner can change it.`,
    )
  }
  const installed = await finishInstallation(deps, code)
  const { workspaceId, workspaceName, channel } = installed
  const label = `${channel.name} (${workspaceName})`
  const identity = `${workspaceId}/${channel.id}`
  await deps.db.tx(async (tx) => {
    await lockChat(tx, principal.org_id)
    await saveChannel(tx, deps.sealer, principal.org_id, { url: channel.url, label, workspaceId, identity })
    await saveInstallation(tx, deps.sealer, principal.org_id, installed)
    const detail = { label, workspace_id: workspaceId }
    await auditChat(tx, principal, { action: 'chat.installed', detail, at: deps.clock.now() })
  })
  return label
}
