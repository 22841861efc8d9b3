import { useState } from 'react'
import { useClose } from '#console/parts/form/close-context.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { createDatabase, listDatabases } from '#contract/databases.ts'

/** Creates a database. Warnings for the operator are shown before the dialog closes. */
export function CreateDatabase() {
  const close = useClose()
  const [warnings, setWarnings] = useState<readonly string[]>([])
  if (warnings.length > 0) return <Warnings warnings={warnings} />
  return (
    <FormDialog
      title="Create database"
      op={createDatabase}
      fields={{ name: '' }}
      input={(typed) => typed}
      changes={[listDatabases]}
      done={(database) => `Created ${database.name}.`}
      after={(database) => (database.warnings.length > 0 ? setWarnings(database.warnings) : close?.())}
      running="Creating…"
    >
      <Field
        label="Name"
        name="name"
        required
        autoComplete="off"
        autoCapitalize="none"
        hint="Lower-case letters, digits and underscores, such as docs"
      />
    </FormDialog>
  )
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <Dialog title="Created, with warnings">
      <p>Tell the operator of this installation:</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Dialog>
  )
}
