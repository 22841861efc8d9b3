import { notFound } from '#contract/core/errors.ts'
import { subjectLine } from '#contract/core/subject-line.ts'
import { connectChat, disconnectChat, readChat } from '#contract/notifications/chat.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Sealer } from '#lib/crypto/seal.ts'
import type { Db, Querier, Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import { presentChannel } from '../routes.ts'
import { labelOf } from '../webhook/url.ts'
import type { ChatApp } from './app.ts'
import {
  findChatChannel,
  findInstallation,
  lockChat,
  removeConnection,
  removeInstallationElsewhere,
  saveChannel,
} from './store.ts'
import { readIncomingWebhook } from './url.ts'

type Deps = { db: Db; sealer: Sealer; clock: Clock; chatApp: ChatApp | undefined }

export function chatRoutes(deps: Deps): Route[] {
  return [readRoute(deps), connectRoute(deps), disconnectRoute(deps)]
}

function readRoute({ db, chatApp }: Deps): Route {
  return route(readChat, async (_, { principal }) => presentConnection(db, chatApp, principal.org_id))
}

const NEEDS_INSTALLATION =
  'This webhook reaches one channel. Direct messages to people who follow an app need the chat app to be installed: POST /api/integrations/chat/installation.'

function connectRoute({ db, sealer, clock, chatApp }: Deps): Route {
  return route(connectChat, async ({ webhook_url, name = null }, { principal }) => {
    const { url, workspaceId, hookId } = readIncomingWebhook(webhook_url)
    const { org_id } = principal
    return db.tx(async (tx) => {
      await lockChat(tx, org_id)
      const label = labelOf(url, name === null ? null : subjectLine(name))
      const identity = `${workspaceId}/${hookId}`
      await saveChannel(tx, sealer, org_id, { url, label, workspaceId, identity })
      await removeInstallationElsewhere(tx, org_id, workspaceId)
      await auditChat(tx, principal, { action: 'chat.connected', detail: { label }, at: clock.now() })
      const connection = await presentConnection(tx, chatApp, org_id)
      return { ...connection, warnings: connection.personal_messages === 'available' ? [] : [NEEDS_INSTALLATION] }
    })
  })
}

function disconnectRoute({ db, clock }: Deps): Route {
  return route(disconnectChat, async (_, { principal }) => {
    return db.tx(async (tx) => {
      await lockChat(tx, principal.org_id)
      if (!(await removeConnection(tx, principal.org_id))) throw notFound('chat connection')
      await auditChat(tx, principal, { action: 'chat.disconnected', detail: {}, at: clock.now() })
      return { deleted: true as const }
    })
  })
}

async function presentConnection(db: Querier, chatApp: ChatApp | undefined, orgId: string) {
  const channel = await findChatChannel(db, orgId)
  const installation = await findInstallation(db, orgId)
  const workspaceId = installation?.workspace_id ?? (channel?.settings.workspace_id as string | undefined)
  return {
    channel: channel ? presentChannel(channel) : null,
    workspace: workspaceId === undefined ? null : { id: workspaceId, name: installation?.workspace_name ?? null },
    personal_messages: !installation
      ? ('not_installed' as const)
      : installation.broken_since === null
        ? ('available' as const)
        : ('broken' as const),
    installable: chatApp !== undefined,
  }
}

type Audited = { action: string; detail: Record<string, unknown>; at: Date }

export async function auditChat(tx: Tx, principal: Member, { action, detail, at }: Audited): Promise<void> {
  const { org_id } = principal
  await audit(tx, { org_id, actor: actorOf(principal), action, target: org_id, detail, at })
}
