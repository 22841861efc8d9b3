import { type SubmitEvent, useState } from 'react'
import { explain, faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Dialog } from '#console/parts/dialog.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { createDatabase, listDatabases } from '#contract/databases.ts'

/** Creates a database. Warnings for the operator are shown before the dialog closes. */
export function CreateDatabase({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const [key] = useState(() => crypto.randomUUID())
  const create = useAct(createDatabase, {
    changes: [listDatabases],
    options: () => ({ idempotencyKey: `${key}-${name}` }),
    done: (database) => `Created ${database.name}.`,
    after: (database) => (database.warnings.length > 0 ? setWarnings(database.warnings) : onClose()),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!create.isRunning) create.run({ name })
  }
  if (warnings.length > 0) return <Warnings warnings={warnings} onClose={onClose} />
  const fault = faultOf(create.error, 'name')
  return (
    <Dialog title="Create database" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          value={name}
          onChange={setName}
          required
          maxLength={48}
          autoComplete="off"
          autoCapitalize="none"
          hint="Lower-case letters, digits and underscores, such as docs"
          fault={fault}
        />
        {create.error !== null && fault === undefined && (
          <p className="fault" role="alert">
            {explain(create.error)}
          </p>
        )}
        <FormFoot
          act={create.isRunning ? 'Creating…' : 'Create database'}
          isRunning={create.isRunning}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

function Warnings({ warnings, onClose }: { warnings: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Created, with warnings" onClose={onClose}>
      <p>Tell the operator of this installation:</p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Dialog>
  )
}
