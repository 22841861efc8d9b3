import { Choice } from '#console/parts/form/choice.tsx'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { createCheck, listChecks } from '#contract/checks/checks.ts'
import { AgentFields } from './agent-fields.tsx'
import { type CheckForm, type CheckKind, type Every, emptyCheck, toCheck } from './check-form.ts'

const KINDS: readonly { value: CheckKind; label: string }[] = [
  { value: 'http', label: 'A path answers' },
  { value: 'log', label: 'Lines in the log' },
  { value: 'agent', label: 'A model judges the log' },
]
const EVERY: readonly { value: Every; label: string }[] = [
  { value: '1', label: 'Every minute' },
  { value: '5', label: 'Every 5 minutes' },
  { value: '60', label: 'Every hour' },
  { value: '1440', label: 'Every day' },
  { value: 'cron', label: 'At times of a cron expression' },
]

/** Creates a check. The command line has further options. */
export function CreateCheck({ alias }: { alias: string }) {
  return (
    <FormDialog
      title="Create check"
      op={createCheck}
      fields={emptyCheck()}
      input={(form) => ({ alias, ...toCheck(form) })}
      changes={[listChecks]}
      done={(check) => `Created ${check.name}.`}
    >
      {(form, change) => (
        <>
          <Field label="Name" name="name" required />
          <Choice
            label="Looks at"
            value={form.kind}
            options={KINDS}
            // A model costs tokens at each run, so it is asked every hour unless the person says otherwise.
            onChange={(chosen) =>
              change({ kind: chosen, ...(form.every !== 'cron' && { every: chosen === 'agent' ? '60' : '5' }) })
            }
          />
          <KindFields form={form} />
          <ChoiceField label="Runs" name="every" options={EVERY} />
          {form.every === 'cron' && <CronFields />}
          <Field label="Counts as failed after" name="threshold" type="number" required hint="Fails in a row" />
        </>
      )}
    </FormDialog>
  )
}

function KindFields({ form }: { form: CheckForm }) {
  if (form.kind === 'agent') return <AgentFields model={form['definition.model']} />
  if (form.kind === 'log')
    return (
      <Field
        label="Words"
        name="definition.text"
        hint="Fails if a line of the last 15 minutes has these words. Empty: if a line has the level error."
      />
    )
  return (
    <Field
      label="Path"
      name="definition.target"
      required
      hint="Asked at the app itself. It passes if the answer is 200 to 399."
    />
  )
}

function CronFields() {
  return (
    <>
      <Field
        label="Cron expression"
        name="schedule.cron"
        required
        hint="Minute, hour, day of the month, month, day of the week"
      />
      <Field label="Timezone" name="schedule.timezone" required hint="Such as Europe/Berlin" />
    </>
  )
}
