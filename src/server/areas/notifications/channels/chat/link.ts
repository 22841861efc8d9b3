import { notFound, ServiceError } from '#contract/core/errors.ts'
import { deleteChatLink, readChatLink, startChatLink } from '#contract/notifications/chat-link.ts'
import { type Member, type Route, route } from '#edge/route/route.ts'
import { auditBy } from '#ports/audit.ts'
import type { People } from '#ports/people.ts'
import type { NotificationDeps } from '../../model/deps.ts'
import { lockChannels } from '../store.ts'
import { type FlowDeps, startFlow } from './flow-store.ts'
import { findLink, type Person, removeLink, saveLink } from './link-store.ts'
import { type ChatAccount, finishLinking, linkUrl, type OauthDeps } from './oauth.ts'
import { findInstallation, type InstallationRow } from './store.ts'

export function linkRoutes(deps: FlowDeps): Route[] {
  const { db, clock, chatApp, baseUrl } = deps
  return [
    route(readChatLink, async (_, { principal }) => {
      const person = personOf(principal)
      const link = await findLink(db, person)
      const installation = await findInstallation(db, person.orgId)
      // A link to a workspace that the organization has left does not count; without an installation it is unknown.
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
    }),
    route(startChatLink, async (_, { principal, request }) => {
      const installation = await findInstallation(db, principal.org_id)
      if (!chatApp || !isWorking(installation)) throw notConnected()
      const { state, nonce, expiresAt } = await startFlow(deps, { purpose: 'link', principal, request })
      const url = linkUrl({ chatApp, baseUrl }, { state, nonce, workspaceId: installation.workspace_id })
      return { url, expires_at: expiresAt.toISOString() }
    }),
    route(deleteChatLink, async (_, { principal }) => {
      const person = personOf(principal)
      await db.tx(async (tx) => {
        if (!(await removeLink(tx, person))) throw notFound('chat link')
        await auditBy(tx, principal, { action: 'chat.unlinked', target: principal.org_id, at: clock.now() })
      })
      return { deleted: true as const }
    }),
  ]
}

function personOf({ org_id, user_id }: Member): Person {
  if (user_id === null) throw new ServiceError('FORBIDDEN', 'Only a person can link a chat account.')
  return { orgId: org_id, userId: user_id }
}

type FinishDeps = OauthDeps & Pick<NotificationDeps, 'db' | 'people'>

/**
 * Links the account that the person confirmed at the chat service. Returns its display name. Throws if another member has
 * linked the account; one who has left the organization loses it.
 */
export async function completeLinking(
  deps: FinishDeps,
  principal: Member,
  code: string,
  nonce: string,
): Promise<string> {
  const account = await finishLinking(deps, code, nonce)
  let holder = await linkAccount(deps, principal, account)
  if (holder && (await hasLeft(deps.people, holder))) {
    await removeLink(deps.db, holder)
    holder = await linkAccount(deps, principal, account)
  }
  if (holder) throw accountTaken()
  return account.displayName
}

/** Returns the person who holds the account, and changes nothing, if it is somebody else's. */
async function linkAccount(
  { db, clock }: FinishDeps,
  principal: Member,
  account: ChatAccount,
): Promise<Person | undefined> {
  const person = personOf(principal)
  return db.tx(async (tx) => {
    await lockChannels(tx, person.orgId, 'chat')
    const installation = await findInstallation(tx, person.orgId)
    if (!isWorking(installation)) throw notConnected()
    if (account.workspaceId !== installation.workspace_id) throw otherWorkspace(installation)
    const holder = await saveLink(tx, { ...person, ...account })
    if (holder) return holder
    const detail = { workspace_id: account.workspaceId, chat_user_id: account.chatUserId }
    await auditBy(tx, principal, { action: 'chat.linked', target: person.orgId, detail, at: clock.now() })
    return undefined
  })
}

/** Returns false while the auth service does not answer, so that nobody loses an account by an outage. */
async function hasLeft(people: People, { orgId, userId }: Person): Promise<boolean> {
  const member = await people.member(orgId, userId)
  return member.isKnown && member.value === undefined
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

/** Does not reveal who has linked the account. */
function accountTaken(): ServiceError {
  const detail = 'This chat account is linked to another person here. Link another account, or ask them to unlink it.'
  return new ServiceError('CHAT_ACCOUNT_TAKEN', detail)
}
