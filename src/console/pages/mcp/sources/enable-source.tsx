import { Link, useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { explain } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { listSources, switchSource } from '#contract/data-sources/sources.ts'
import { type Database, listDatabases } from '#contract/databases.ts'

/** Makes a database a data source. Nobody can ask it before it is configured and exposed. */
export function EnableSource({ onClose }: { onClose: () => void }) {
  const databases = useCall(listDatabases, { limit: 100 })
  return (
    <Dialog title="Enable database as source" onClose={onClose}>
      <Loaded of={databases}>
        {({ items }) => {
          const free = items.filter(({ state, data_source }) => state === 'ready' && data_source?.enabled !== true)
          return free.length === 0 ? <NoneFree /> : <Form databases={free} onClose={onClose} />
        }}
      </Loaded>
    </Dialog>
  )
}

function NoneFree() {
  return (
    <p>
      Every database is a data source already, or there is none. <Link to="/databases">Create a database</Link> first.
    </p>
  )
}

function Form({ databases, onClose }: { databases: readonly Database[]; onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState(databases[0]!.name)
  const [description, setDescription] = useState('')
  const enable = useAct(switchSource, {
    changes: [listSources, listDatabases],
    done: (source) => `Enabled ${source.name}. Next: save its search configuration.`,
    after: ({ source_id }) => void navigate({ to: '/mcp/sources/$id/configuration', params: { id: source_id } }),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    enable.run({ name, enabled: true, ...(description !== '' && { description }) })
  }
  return (
    <form onSubmit={submit}>
      <Choice
        label="Database"
        value={name}
        options={databases.map((database) => ({ value: database.name, label: database.name }))}
        onChange={setName}
      />
      <Field
        label="Description"
        value={description}
        onChange={setDescription}
        maxLength={1000}
        hint="Tells people and agents what they can ask it, such as: How we work"
      />
      <p className="soft">Nobody can ask it yet. Next you save its search configuration, then you expose it.</p>
      {enable.error !== null && (
        <p className="fault" role="alert">
          {explain(enable.error)}
        </p>
      )}
      <FormFoot act="Enable source" isRunning={enable.isRunning} onClose={onClose} />
    </form>
  )
}
