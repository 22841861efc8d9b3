import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { createCheck, listChecks } from '#contract/checks/checks.ts'
import { AgentFields } from './agent-fields.tsx'
import { type CheckForm, type CheckKind, type Every, toCheck } from './check-form.ts'

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

const EMPTY: Omit<CheckForm, 'timezone'> = {
  name: '',
  kind: 'http',
  target: '/',
  text: '',
  instructions: '',
  model: '',
  every: '5',
  cron: '0 6 * * *',
  threshold: '1',
}

/** Creates a check. The command line has further options. */
export function CreateCheck({ alias, onClose }: { alias: string; onClose: () => void }) {
  const [form, setForm] = useState<CheckForm>(() => ({
    ...EMPTY,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }))
  const change = (changed: Partial<CheckForm>) => setForm((before) => ({ ...before, ...changed }))
  const create = useAct(createCheck, {
    changes: [listChecks],
    done: (check) => `Created ${check.name}.`,
    after: onClose,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!create.isRunning) create.run({ alias, ...toCheck(form) })
  }
  const fault = (field: string) => faultOf(create.error, field)
  return (
    <Dialog title="Create check" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          value={form.name}
          onChange={(name) => change({ name })}
          required
          maxLength={60}
          fault={fault('name')}
        />
        <Choice
          label="Looks at"
          value={form.kind}
          options={KINDS}
          // A model costs tokens at each run, so it is asked every hour unless the person says otherwise.
          onChange={(kind) => change({ kind, ...(form.every !== 'cron' && { every: kind === 'agent' ? '60' : '5' }) })}
        />
        <KindFields form={form} fault={fault} change={change} />
        <ScheduleFields form={form} fault={fault} change={change} />
        <Field
          label="Counts as failed after"
          type="number"
          min={1}
          max={100}
          value={form.threshold}
          onChange={(threshold) => change({ threshold })}
          required
          hint="Fails in a row"
        />
        {fault('name') === undefined && <Fault of={create.error} />}
        <FormFoot act="Create check" isRunning={create.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}

type FieldsProps = {
  form: CheckForm
  fault: (field: string) => string | undefined
  change: (changed: Partial<CheckForm>) => void
}

function KindFields({ form, fault, change }: FieldsProps) {
  if (form.kind === 'agent')
    return <AgentFields instructions={form.instructions} model={form.model} faultOf={fault} onChange={change} />
  if (form.kind === 'log')
    return (
      <Field
        label="Words"
        value={form.text}
        onChange={(text) => change({ text })}
        maxLength={200}
        fault={fault('definition.text')}
        hint="Fails if a line of the last 15 minutes has these words. Empty: if a line has the level error."
      />
    )
  return (
    <Field
      label="Path"
      value={form.target}
      onChange={(target) => change({ target })}
      required
      maxLength={2000}
      fault={fault('definition.target')}
      hint="Asked at the app itself. It passes if the answer is 200 to 399."
    />
  )
}

function ScheduleFields({ form, fault, change }: FieldsProps) {
  return (
    <>
      <Choice label="Runs" value={form.every} options={EVERY} onChange={(every) => change({ every })} />
      {form.every === 'cron' && (
        <>
          <Field
            label="Cron expression"
            value={form.cron}
            onChange={(cron) => change({ cron })}
            required
            maxLength={100}
            fault={fault('schedule.cron')}
            hint="Minute, hour, day of the month, month, day of the week"
          />
          <Field
            label="Timezone"
            value={form.timezone}
            onChange={(timezone) => change({ timezone })}
            required
            maxLength={64}
            fault={fault('schedule.timezone')}
            hint="Such as Europe/Berlin"
          />
        </>
      )}
    </>
  )
}
