import { useCall } from '#console/call/use-call.ts'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listAppPeople, setAppPerson } from '#contract/apps/people.ts'
import { listMembers } from '#contract/auth/members.ts'
import type { AppPart } from '#contract/core/roles.ts'
import { PARTS } from './parts.ts'

const NOBODY: { user_id: string; part: AppPart } = { user_id: '', part: 'builder' }

/** Gives a member a part. Admins choose from the members; an administrator of the app alone needs the person's id. */
export function AddPerson({ alias }: { alias: string }) {
  const { me } = useSession()
  const isAdmin = useHasRole('admin')
  const members = useCall(listMembers, { org_id: me.org.id, limit: 100 }, { enabled: isAdmin })
  const choices = (members.data?.items ?? []).map(({ user_id, name, email }) => ({
    value: user_id,
    label: name === null ? email : `${name} (${email})`,
  }))
  return (
    <FormDialog
      title="Add person"
      op={setAppPerson}
      fields={NOBODY}
      input={(typed) => ({ alias, ...typed })}
      isReady={({ user_id }) => user_id !== ''}
      changes={[listAppPeople]}
      done={({ display_name }, { part }) => `${display_name ?? 'The person'} is now ${part}.`}
    >
      {isAdmin ? (
        <ChoiceField label="Person" name="user_id" options={[{ value: '', label: 'Choose a member' }, ...choices]} />
      ) : (
        <Field
          label="Id of the person"
          name="user_id"
          required
          hint="Begins with usr_. An admin of the organization sees it under Members."
        />
      )}
      <ChoiceField label="Part" name="part" options={PARTS} />
    </FormDialog>
  )
}
