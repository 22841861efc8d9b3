import { notFound, ServiceError } from '#contract/core/errors.ts'
import { deleteChatLink, readChatLink, startChatLink } from '#contract/notifications/chat-link.ts'
import { type Member, type Route, route } from '#edge/http/route.ts'
import type { Clock } from '#lib/clock.ts'
import type { Db } from '#lib/db/db.ts'
import type { SafeFetch } from '#lib/net/safe-fetch.ts'
import type { People } from '#ports/people.ts'
import type { ChatApp } from './app.ts'
import { type ResumedFlow, startFlow } from './flow.ts'
import { findLink, removeLink, saveLink } from './link-store.ts'
import { type ChatAccount, finishLinking, linkUrl } from './oauth.ts'
import { auditChat } from './routes.ts'
import { findInstallation, type InstallationRow, lockChat } from './store.ts'

type Deps = {
  db: Db
  clock: Clock
  chatApp: ChatApp | undefined
  baseUrl: () => string
  sessionCookies: readonly string[]
}

export function linkRoutes(deps: Deps): Route[] {
  return [readRoute(deps), startRoute(deps), deleteRoute(deps)]
}

function readRoute({ db }: Deps): Route {
  return route(readChatLink, async (_, { principal }) => {
    const person = personOf(principal)
    const link = await findLink(db, person)
    const installation = await findInstallation(db, person.orgId)
    const isHere = link !== undefined && (!installation || link.workspace_id === installation.workspace_id)
    const isLinked = isHere && link.inactive_since === null
    return {
      connected: installation?.broken_since === null,
      state: isLinked ? 'linked' : 'unlinked',
      unlinked_reason: isHere && !isLinked ? 'account_inactive' : null,
      account: isLinked
        ? {
            workspace_id: link.workspace_id,
            chat_user_id: link.chat_user_id,
            display_name: link.display_name,
            linked_at: link.linked_at.toISOString(),
          }
        : null,
    }
  })
}

function startRoute(deps: Deps): Route {
  return route(startChatLink, async (_, { principal, request }) => {
    const { db, chatApp, baseUrl } = deps
    const installation = await findInstallation(db, principal.org_id)
    if (!chatApp || !isWorking(installation)) throw notConnected()
    const { state, nonce, expiresAt } = await startFlow(deps, { purpose: 'link', principal, request })
    const url = linkUrl({ chatApp, baseUrl }, { state, nonce, workspaceId: installation.workspace_id })
    return { url, expires_at: expiresAt.toISOString() }
  })
}

function deleteRoute({ db, clock }: Deps): Route {
  return route(deleteChatLink, async (_, { principal }) => {
    const person = personOf(principal)
    await db.tx(async (tx) => {
      if (!(await removeLink(tx, person))) throw notFound('chat link')
      await auditChat(tx, principal, { action: 'chat.unlinked', detail: {}, at: clock.now() })
    })
    return { deleted: true as const }
  })
}

function personOf({ org_id, user_id }: Member): { orgId: string; userId: string } {
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can link a chat account.')
  return { orgId: org_id, userId: user_id }
}

type FinishDeps = {
  db: Db
  safeFetch: SafeFetch
  clock: Clock
  people: People
  chatApp: ChatApp
  baseUrl: () => string
}

/** Links the account that the person confirmed at the chat service. Returns its display name. */
export async function completeLinking(
  deps: FinishDeps,
  principal: Member,
  { flow, code }: { flow: ResumedFlow; code: string },
): Promise<string> {
  const account = await finishLinking(deps, code, flow.nonce)
  const taken = await linkAccount(deps, principal, { flow, account })
  if (taken !== undefined && (await hasLeft(deps.people, flow.orgId, taken.heldBy))) {
    await removeLink(deps.db, { orgId: flow.orgId, userId: taken.heldBy })
    if ((await linkAccount(deps, principal, { flow, account })) !== undefined) throw accountTaken()
  } else if (taken !== undefined) throw accountTaken()
  return account.displayName
}

async function linkAccount(
  { db, clock }: FinishDeps,
  principal: Member,
  { flow, account }: { flow: ResumedFlow; account: ChatAccount },
): Promise<{ heldBy: string } | undefined> {
  return db.tx(async (tx) => {
    await lockChat(tx, flow.orgId)
    const installation = await findInstallation(tx, flow.orgId)
    if (!isWorking(installation)) throw notConnected()
    if (account.workspaceId !== installation.workspace_id) throw otherWorkspace(installation)
    const taken = await saveLink(tx, { orgId: flow.orgId, userId: flow.userId, ...account })
    if (taken) return taken
    const detail = { workspace_id: account.workspaceId, chat_user_id: account.chatUserId }
    await auditChat(tx, principal, { action: 'chat.linked', detail, at: clock.now() })
    return undefined
  })
}

/** A person who is not a member any more holds no account. */
async function hasLeft(people: People, orgId: string, userId: string): Promise<boolean> {
  const member = await people.member(orgId, userId)
  return member.known && member.value === undefined
}

function isWorking(installation: InstallationRow | undefined): installation is InstallationRow {
  return installation?.broken_since === null
}

function notConnected(): ServiceError {
  const detail =
    'Your organization has no connected chat workspace that can send direct messages. Ask an admin to install the chat app.'
  return new ServiceError('CHAT_NOT_CONNECTED', detail)
}

function otherWorkspace({ workspace_name }: InstallationRow): ServiceError {
  const detail = `This account belongs to another workspace. Your organization is connected to ${workspace_name}: begin again and choose your account there.`
  return new ServiceError('CHAT_OTHER_WORKSPACE', detail)
}

/** Says nothing about who has linked it. */
function accountTaken(): ServiceError {
  const detail = 'This chat account is linked to another person here. Link another account, or ask them to unlink it.'
  return new ServiceError('CHAT_ACCOUNT_TAKEN', detail)
}
