import type { z } from 'zod'
import { usePages } from '#console/call/use-pages.ts'
import { ActChoice } from '#console/parts/form/act-choice.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { changeRole, listMembers, removeMember } from '#contract/auth/members.ts'
import { ROLES } from '#contract/core/roles.ts'
import { Invitations } from './invitations.tsx'
import { OrganizationPage } from './organization-page.tsx'

type Member = z.infer<typeof listMembers.output>['items'][number]

/** Who belongs to the organization, with which role. Owners change it. */
export function MembersPage() {
  const { me } = useSession()
  const isOwner = useHasRole('owner')
  const members = usePages(listMembers, { org_id: me.org.id })
  const columns: readonly Column<Member>[] = [
    { head: 'Person', cell: ({ name, email }) => name ?? email.replace(/@.*/, '') },
    { head: 'Email', cell: ({ email }) => email },
    { head: 'Role', cell: (member) => (isOwner ? <RoleChoice member={member} /> : member.role) },
    { head: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} />, isWide: true },
    ...(isOwner
      ? [
          {
            head: 'Actions',
            cell: (member: Member) => (
              <AskButton
                label="Remove"
                of={member.email}
                look="small"
                title="Remove member"
                op={removeMember}
                input={{ org_id: me.org.id, user_id: member.user_id }}
                changes={[listMembers]}
                done={`Removed ${member.email}.`}
              >
                <p>
                  <strong>{member.email}</strong> can no longer open {me.org.name}. Their tokens and agents stop working
                  at once.
                </p>
              </AskButton>
            ),
          },
        ]
      : []),
  ]
  return (
    <OrganizationPage>
      <List isStacked of={members} caption="Members" columns={columns} keyOf={({ user_id }) => user_id} empty={null} />
      {isOwner && <Invitations />}
    </OrganizationPage>
  )
}

const OPTIONS = ROLES.map((role) => ({ value: role, label: role }))

function RoleChoice({ member: { user_id, email, role } }: { member: Member }) {
  const { me } = useSession()
  return (
    <ActChoice
      op={changeRole}
      input={(chosen) => ({ org_id: me.org.id, user_id, role: chosen })}
      changes={[listMembers]}
      done={(changed) => `${changed.email} is now ${changed.role}.`}
      label={`Role of ${email}`}
      value={role}
      options={OPTIONS}
    />
  )
}
