import { type SubmitEvent, useState } from 'react'
import { createCheck, listChecks } from '#contract/checks/checks.ts'
import { faultOf } from '../../../call/explain.ts'
import { useAct } from '../../../call/use-act.ts'
import { Choice } from '../../../parts/choice.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Fault } from '../../../parts/fault.tsx'
import { Field } from '../../../parts/field.tsx'

const KINDS = [
  { value: 'http', label: 'A path answers' },
  { value: 'log', label: 'Lines in the log' },
] as const
const EVERY = [
  { value: '1', label: 'Every minute' },
  { value: '5', label: 'Every 5 minutes' },
  { value: '60', label: 'Every hour' },
  { value: '1440', label: 'Every day' },
] as const

/** Creates a check of the two usual kinds. The command line has all options, and checks that a model judges. */
export function CreateCheck({ alias, onClose }: { alias: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('http')
  const [target, setTarget] = useState('/')
  const [text, setText] = useState('')
  const [every, setEvery] = useState<(typeof EVERY)[number]['value']>('5')
  const [threshold, setThreshold] = useState('1')
  const create = useAct(createCheck, {
    changes: [listChecks],
    done: (check) => `Created ${check.name}.`,
    after: onClose,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const definition =
      kind === 'http'
        ? ({ kind, target } as const)
        : ({ kind, level: text.trim() === '' ? 'error' : null, text: text.trim() === '' ? null : text.trim() } as const)
    create.run({ alias, name, definition, schedule: { every_minutes: Number(every) }, threshold: Number(threshold) })
  }
  const nameFault = faultOf(create.error, 'name')
  return (
    <Dialog title="Create check" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" value={name} onChange={setName} required maxLength={60} fault={nameFault} />
        <Choice label="Looks at" value={kind} options={KINDS} onChange={setKind} />
        {kind === 'http' ? (
          <Field
            label="Path"
            value={target}
            onChange={setTarget}
            required
            maxLength={2000}
            fault={faultOf(create.error, 'definition.target')}
            hint="Asked at the app itself. It passes if the answer is 200 to 399."
          />
        ) : (
          <Field
            label="Words"
            value={text}
            onChange={setText}
            maxLength={200}
            fault={faultOf(create.error, 'definition.text')}
            hint="Fails if a line of the last 15 minutes has these words. Empty: if a line has the level error."
          />
        )}
        <Choice label="Runs" value={every} options={EVERY} onChange={setEvery} />
        <Field
          label="Counts as failed after"
          type="number"
          min={1}
          max={100}
          value={threshold}
          onChange={setThreshold}
          required
          hint="Fails in a row"
        />
        {nameFault === undefined && <Fault of={create.error} />}
        <footer className="row">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button main" aria-busy={create.isRunning}>
            Create check
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
