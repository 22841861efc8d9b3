import { Link, useNavigate } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { listSources, switchSource } from '#contract/data-sources/sources.ts'
import { type Database, listDatabases } from '#contract/databases.ts'

/** Makes a database a data source. Nobody can ask it before it is configured and exposed. */
export function EnableSource() {
  const databases = useCall(listDatabases, { limit: 100 })
  return (
    <Dialog title="Enable database as source">
      <Loaded of={databases}>
        {({ items }) => {
          const free = items.filter(({ state, data_source }) => state === 'ready' && data_source?.enabled !== true)
          return free.length === 0 ? <NoneFree /> : <Form databases={free} />
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

function Form({ databases }: { databases: readonly Database[] }) {
  const navigate = useNavigate()
  return (
    <ActForm
      op={switchSource}
      fields={{ name: databases[0]!.name, description: '' }}
      input={({ name, description }) => ({ name, enabled: true, ...(description !== '' && { description }) })}
      changes={[listSources, listDatabases]}
      done={(source) => `Enabled ${source.name}. Next: save its search configuration.`}
      after={({ source_id }) => void navigate({ to: '/mcp/sources/$id/configuration', params: { id: source_id } })}
      submit="Enable source"
    >
      <ChoiceField label="Database" name="name" options={databases.map(({ name }) => ({ value: name, label: name }))} />
      <Field
        label="Description"
        name="description"
        hint="Tells people and agents what they can ask it, such as: How we work"
      />
      <p className="soft">Nobody can ask it yet. Next you save its search configuration, then you expose it.</p>
    </ActForm>
  )
}
