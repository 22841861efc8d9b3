import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { useNames } from '#console/call/use-names.ts'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { TextArea } from '#console/parts/form/text-area.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'

type Variable = z.infer<typeof readEnvironment.output>['items'][number]

/** The names of the app's environment variables. Values are never shown again. */
export function Variables({ alias, canChange }: { alias: string; canChange: boolean }) {
  const environment = useCall(readEnvironment, { alias })
  const nameOf = useNames(environment.data?.items.map(({ updated_by }) => updated_by) ?? [])
  const columns: readonly Column<Variable>[] = [
    { head: 'Name', cell: ({ name }) => <code>{name}</code> },
    { head: 'Set', cell: ({ updated_at }) => <Time at={updated_at} /> },
    { head: 'By', cell: ({ updated_by }) => nameOf(updated_by), isWide: true },
    {
      head: 'Actions',
      cell: ({ name }) =>
        canChange && (
          <AskButton
            label="Remove"
            of={name}
            look="small"
            title="Remove variable"
            op={changeEnvironment}
            input={{ alias, remove: [name] }}
            changes={[readEnvironment]}
            done={`Removed ${name}.`}
          >
            <p>
              The next deploy or start of <strong>{alias}</strong> runs without <code>{name}</code>. Its value cannot be
              read back.
            </p>
          </AskButton>
        ),
    },
  ]
  return (
    <section className="card">
      <div className="row spread">
        <h2>Environment variables</h2>
        {canChange && <Opener label="Set variable" dialog={<SetVariable alias={alias} />} />}
      </div>
      <p className="soft">
        Values are stored sealed and never shown again. They take effect with the next deploy or start.
      </p>
      <List
        of={environment}
        caption="Environment variables"
        columns={columns}
        keyOf={({ name }) => name}
        empty={<p className="soft">None are set.</p>}
      />
    </section>
  )
}

function SetVariable({ alias }: { alias: string }) {
  return (
    <FormDialog
      title="Set variable"
      op={changeEnvironment}
      fields={{ name: '', value: '' }}
      input={({ name, value }) => ({ alias, set: { [name]: value } })}
      changes={[readEnvironment]}
      done={(_, { set = {} }) => `Set ${Object.keys(set).join()}. It takes effect with the next deploy or start.`}
    >
      <Field label="Name" name="name" path="set.#" required autoComplete="off" />
      <TextArea label="Value" name="value" path="set.*" />
    </FormDialog>
  )
}
