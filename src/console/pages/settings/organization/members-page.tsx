import { useState } from 'react'
import type { z } from 'zod'
import { useAct } from '#console/call/use-act.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Confirm } from '#console/parts/confirm.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Page } from '#console/parts/page.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { changeRole, listMembers, removeMember } from '#contract/auth/members.ts'
import { ROLES, type Role } from '#contract/core/roles.ts'
import { Invitations } from './invitations.tsx'
import { OrganizationTabs } from './tabs.tsx'

type Member = z.infer<typeof listMembers.output>['items'][number]

/** Who belongs to the organization, with which role. Owners change it. */
export function MembersPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const members = usePages(listMembers, { org_id: me.org.id })
  const [removed, setRemoved] = useState<Member>()
  const columns: readonly Column<Member>[] = [
    { head: 'Person', cell: ({ name, email }) => name ?? email },
    { head: 'Email', cell: ({ email }) => email, isWide: true },
    { head: 'Role', cell: (member) => (isOwner ? <RoleChoice member={member} /> : member.role) },
    { head: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} />, isWide: true },
    ...(isOwner
      ? [
          {
            head: 'Acts',
            cell: (member: Member) => (
              <button type="button" className="button small" onClick={() => setRemoved(member)}>
                Remove<span className="visually-hidden"> {member.email}</span>
              </button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <Loaded of={members}>
        {(items) => (
          <>
            <Table caption="Members" columns={columns} rows={items} keyOf={({ user_id }) => user_id} />
            <More of={members} />
          </>
        )}
      </Loaded>
      {isOwner && <Invitations />}
      {removed && <Remove member={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  )
}

const OPTIONS = ROLES.map((role) => ({ value: role, label: role }))

function RoleChoice({ member: { user_id, email, role } }: { member: Member }) {
  const { me } = useSession()
  const change = useAct(changeRole, {
    changes: [listMembers],
    done: (changed) => `${changed.email} is now ${changed.role}.`,
  })
  const choose = (chosen: Role) => change.run({ org_id: me.org.id, user_id, role: chosen })
  return (
    <>
      <Choice label={`Role of ${email}`} isCompact value={role} options={OPTIONS} onChange={choose} />
      <Fault of={change.error} />
    </>
  )
}

function Remove({ member, onClose }: { member: Member; onClose: () => void }) {
  const { me } = useSession()
  const remove = useAct(removeMember, {
    changes: [listMembers],
    done: () => `Removed ${member.email}.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Remove member"
      isRunning={remove.isRunning}
      error={remove.error}
      onConfirm={() => remove.run({ org_id: me.org.id, user_id: member.user_id })}
      onClose={onClose}
    >
      <p>
        <strong>{member.email}</strong> can no longer open {me.org.name}. Their tokens and agents stop working at once.
      </p>
    </Confirm>
  )
}
