import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { useSession } from '#console/session/session.ts'
import { listMembers } from '#contract/auth/members.ts'
import { withChosen } from './with-chosen.ts'

const EVERYONE = { value: '', label: 'Everyone' }

type Props = { value: string | undefined; onChange: (value: string | undefined) => void }

/** The members of the organization by name. Only admins see calls of others. */
export function PersonFilter({ value = '', onChange }: Props) {
  const { me } = useSession()
  const { data } = useCall(listMembers, { org_id: me.org.id, limit: 100 })
  const members = data?.items.map(({ user_id, name, email }) => ({ value: user_id, label: name ?? email })) ?? []
  return (
    <Choice
      label="Person"
      value={value}
      options={withChosen([EVERYONE, ...members], value, 'Another person')}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  )
}
