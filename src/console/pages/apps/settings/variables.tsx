import { useState } from 'react'
import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { readEnvironment } from '#contract/apps/environment.ts'
import { RemoveVariable } from './remove-variable.tsx'
import { SetVariable } from './set-variable.tsx'

type Variable = z.infer<typeof readEnvironment.output>['items'][number]

/** The names of the app's environment variables. Values are never shown again. */
export function Variables({ alias, canChange }: { alias: string; canChange: boolean }) {
  const environment = useCall(readEnvironment, { alias })
  const nameOf = useNames(environment.data?.items.map(({ updated_by }) => updated_by) ?? [])
  const [isSetting, setSetting] = useState(false)
  const [removed, setRemoved] = useState<string>()
  const columns: readonly Column<Variable>[] = [
    { head: 'Name', cell: ({ name }) => <code>{name}</code> },
    { head: 'Set', cell: ({ updated_at }) => <Time at={updated_at} /> },
    { head: 'By', cell: ({ updated_by }) => nameOf(updated_by), isWide: true },
    {
      head: 'Acts',
      cell: ({ name }) =>
        canChange && (
          <button type="button" className="button small" onClick={() => setRemoved(name)}>
            Remove<span className="visually-hidden"> {name}</span>
          </button>
        ),
    },
  ]
  return (
    <section className="card">
      <div className="row spread">
        <h2>Environment variables</h2>
        {canChange && (
          <button type="button" className="button" onClick={() => setSetting(true)}>
            Set variable
          </button>
        )}
      </div>
      <p className="soft">
        Values are stored sealed and never shown again. They take effect with the next deploy or start.
      </p>
      <Loaded of={environment}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">None are set.</p>
          ) : (
            <Table caption="Environment variables" columns={columns} rows={items} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
      {isSetting && <SetVariable alias={alias} onClose={() => setSetting(false)} />}
      {removed !== undefined && <RemoveVariable alias={alias} name={removed} onClose={() => setRemoved(undefined)} />}
    </section>
  )
}
