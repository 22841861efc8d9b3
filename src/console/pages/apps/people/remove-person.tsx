import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { listAppPeople, removeAppPerson } from '#contract/apps/people.ts'
import type { AppPerson } from './parts.ts'

type Props = { alias: string; person: AppPerson; onClose: () => void }

export function RemovePerson({ alias, person, onClose }: Props) {
  const name = person.display_name ?? 'a former member'
  const remove = useAct(removeAppPerson, {
    changes: [listAppPeople],
    done: () => `${name} has no part in ${alias} any more.`,
    after: onClose,
  })
  return (
    <Confirm
      title="Remove person"
      isRunning={remove.isRunning}
      error={remove.error}
      onConfirm={() => remove.run({ alias, user_id: person.user_id })}
      onClose={onClose}
    >
      <p>
        <strong>{name}</strong> is no {person.part} of <strong>{alias}</strong> any more. Their role in the organization
        stays.
      </p>
    </Confirm>
  )
}
