import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'

export function AddWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const create = useAct(createWebhook, {
    changes: [listChannels],
    done: ({ label, warnings }) => [`Added ${label}.`, ...warnings].join(' '),
    after: onClose,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        create.run({ url, ...(name !== '' && { name }) })
      }}
    >
      <Field
        label="URL"
        type="url"
        value={url}
        onChange={setUrl}
        required
        autoComplete="off"
        hint="It is secret: the signing key is made from it, and it is never shown again."
      />
      <Field label="Name" value={name} onChange={setName} maxLength={100} hint="Optional" />
      <Fault of={create.error} />
      <FormFoot act="Add webhook" isRunning={create.isRunning} onClose={onClose} />
    </form>
  )
}
