import { type SubmitEvent, useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { TextArea } from '#console/parts/text-area.tsx'
import { changeEnvironment, readEnvironment } from '#contract/apps/environment.ts'

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
