import { notFound } from '#contract/core/errors.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { connectChat, disconnectChat, readChat } from '#contract/notifications/chat.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Querier } from '#lib/db/db.ts'
import { auditBy } from '#ports/audit.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { presentChannel } from '../routes.ts'
import { lockChannels } from '../store.ts'
import { labelOf } from '../webhook/url.ts'
import {
  findChatChannel,
  findInstallation,
  removeConnection,
  removeInstallationElsewhere,
  saveChannel,
} from './store.ts'
import { readIncomingWebhook } from './url.ts'

type Deps = Pick<NotificationDeps, 'db' | 'sealer' | 'clock' | 'chatApp'>

export function chatRoutes(deps: Deps): Route[] {
  const { db, sealer, clock } = deps
  return [
    route(readChat, async (_, { principal }) => presentConnection(db, deps, principal.org_id)),
    route(connectChat, async ({ webhook_url, name = null }, { principal }) => {
      const { url, workspaceId, hookId } = readIncomingWebhook(webhook_url)
      const { org_id } = principal
      return db.tx(async (tx) => {
        await lockChannels(tx, org_id, 'chat')
        const label = labelOf(url, name === null ? null : subjectLine(name))
        const identity = `${workspaceId}/${hookId}`
        await saveChannel(tx, sealer, org_id, { url, label, workspaceId, identity })
        await removeInstallationElsewhere(tx, org_id, workspaceId)
        await auditBy(tx, principal, { action: 'chat.connected', target: org_id, detail: { label }, at: clock.now() })
        const connection = await presentConnection(tx, deps, org_id)
        return { ...connection, warnings: connection.personal_messages === 'available' ? [] : [NEEDS_INSTALLATION] }
      })
    }),
    route(disconnectChat, async (_, { principal }) => {
      return db.tx(async (tx) => {
        await lockChannels(tx, principal.org_id, 'chat')
        if (!(await removeConnection(tx, principal.org_id))) throw notFound('chat connection')
        await auditBy(tx, principal, { action: 'chat.disconnected', target: principal.org_id, at: clock.now() })
        return { deleted: true as const }
      })
    }),
  ]
}

const NEEDS_INSTALLATION =
  'This webhook reaches one channel. Direct messages to people who follow an app need the chat app to be installed: POST /api/integrations/chat/installation.'

async function presentConnection(db: Querier, { chatApp, clock }: Pick<Deps, 'chatApp' | 'clock'>, orgId: string) {
  const channel = await findChatChannel(db, orgId)
  const installation = await findInstallation(db, orgId)
  const workspaceId = installation?.workspace_id ?? (channel?.settings.workspace_id as string | undefined)
  return {
    channel: channel ? presentChannel(channel, clock.now()) : null,
    workspace: workspaceId === undefined ? null : { id: workspaceId, name: installation?.workspace_name ?? null },
    personal_messages: !installation
      ? ('not_installed' as const)
      : installation.broken_since === null
        ? ('available' as const)
        : ('broken' as const),
    installable: chatApp !== undefined,
  }
}
