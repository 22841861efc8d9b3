import { ServiceError } from '#contract/core/errors.ts'
import { roleAtLeast } from '#contract/core/roles.ts'
import { startChatInstallation } from '#contract/notifications/chat.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { lockChannels } from '../store.ts'
import { type FlowDeps, startFlow } from './flow-store.ts'
import { finishInstallation, installationUrl, type OauthDeps } from './oauth.ts'
import { saveChannel, saveInstallation } from './store.ts'

export function startInstallationRoute(deps: FlowDeps): Route {
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

type FinishDeps = OauthDeps & Pick<NotificationDeps, 'db' | 'sealer'>

/** Saves the installation and its channel. Returns the label of the channel. */
export async function completeInstallation(deps: FinishDeps, principal: Member, code: string): Promise<string> {
  // The person began as an admin, and may have lost the role since.
  if (!roleAtLeast(principal.role, 'admin')) {
    throw new ServiceError(
      'FORBIDDEN',
      `This needs the role admin or above. Your role is ${principal.role}. An owner can change it.`,
    )
  }
  const { org_id } = principal
  const installed = await finishInstallation(deps, code)
  const { workspaceId, workspaceName, channel } = installed
  const label = `${channel.name} (${workspaceName})`
  const identity = `${workspaceId}/${channel.id}`
  await deps.db.tx(async (tx) => {
    await lockChannels(tx, org_id, 'chat')
    await saveChannel(tx, deps.sealer, org_id, { url: channel.url, label, workspaceId, identity })
    await saveInstallation(tx, deps.sealer, org_id, installed)
    const detail = { label, workspace_id: workspaceId }
    await auditBy(tx, principal, { action: 'chat.installed', target: org_id, detail, at: deps.clock.now() })
  })
  return label
}
