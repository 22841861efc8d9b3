import { type SubmitEvent, useState } from 'react'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'
import { useAct } from '../../../call/use-act.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Fault } from '../../../parts/fault.tsx'
import { Field } from '../../../parts/field.tsx'
import { FormFoot } from '../../../parts/form-foot.tsx'
import { TextArea } from '../../../parts/text-area.tsx'

export function SetVariable({ alias, onClose }: { alias: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const set = useAct(changeEnvironment, {
    changes: [readEnvironment],
    done: () => `Set ${name}. It takes effect with the next deploy or start.`,
    after: onClose,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    set.run({ alias, set: { [name]: value } })
  }
  return (
    <Dialog title="Set variable" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" value={name} onChange={setName} required maxLength={100} autoComplete="off" />
        <TextArea label="Value" value={value} onChange={setValue} maxLength={32_768} />
        <Fault of={set.error} />
        <FormFoot act="Set variable" isRunning={set.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}
