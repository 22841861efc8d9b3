import { changeRole, listMembers, removeMember } from '#contract/auth/members.ts'
import { notFound, ServiceError } from '#contract/core/errors.ts'
import { actorOf } from '#edge/credentials/actor.ts'
import { readCursor, toPage } from '#edge/route/paging.ts'
import { type Route, route } from '#edge/route/route.ts'
import type { Tx } from '#lib/db/db.ts'
import { audit } from '#ports/audit.ts'
import type { AuthDeps } from '../model/deps.ts'
import { deleteMember, lockOwners, lockRole, type MemberRow, pageMembers, updateRole } from '../store/members.ts'

export function memberRoutes({ db, clock, onRevoked }: AuthDeps): Route[] {
  return [
    route(listMembers, async ({ org_id, limit, cursor }) => {
      return toPage(await pageMembers(db, org_id, { before: readCursor(cursor), limit }), limit, present)
    }),
    route(changeRole, async ({ org_id, user_id, role }, { principal }) => {
      const at = clock.now()
      const member = await db.tx(async (tx) => {
        if (role !== 'owner') await refuseRemovingLastOwner(tx, org_id, user_id)
        const former_role = await lockRole(tx, org_id, user_id)
        const changed = await updateRole(tx, org_id, user_id, role)
        if (!changed) throw notFound('member')
        const entry = { org_id, actor: actorOf(principal), action: 'member.role_changed', target: user_id }
        await audit(tx, { ...entry, detail: { role, former_role }, at })
        return changed
      })
      onRevoked()
      return present(member)
    }),
    route(removeMember, async ({ org_id, user_id }, { principal }) => {
      const at = clock.now()
      const leaves = principal.user_id === user_id
      if (!leaves && principal.role !== 'owner')
        throw new ServiceError('FORBIDDEN', 'Only an owner can remove other members.')
      await db.tx(async (tx) => {
        await refuseRemovingLastOwner(tx, org_id, user_id)
        const former_role = await lockRole(tx, org_id, user_id)
        if (!(await deleteMember(tx, org_id, user_id))) throw notFound('member')
        const action = leaves ? 'member.left' : 'member.removed'
        await audit(tx, { org_id, actor: actorOf(principal), action, target: user_id, detail: { former_role }, at })
      })
      onRevoked()
      return { user_id, removed: true as const }
    }),
  ]
}

async function refuseRemovingLastOwner(tx: Tx, orgId: string, userId: string): Promise<void> {
  const owners = await lockOwners(tx, orgId)
  if (owners.length === 1 && owners[0] === userId) {
    throw new ServiceError(
      'LAST_OWNER',
      'The last owner cannot leave or take a lower role. Make another member an owner first.',
    )
  }
}

function present({ id, joined_at, ...member }: MemberRow) {
  return { user_id: id, ...member, joined_at: joined_at.toISOString() }
}
