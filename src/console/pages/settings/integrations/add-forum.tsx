import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { configureForum, connectForum } from '#contract/notifications/forum.ts'

/** Saves the key of a Discourse forum, then tries it at the forum. */
export function AddForum({ onClose }: { onClose: () => void }) {
  const [api_key, setKey] = useState('')
  const [url, setUrl] = useState('')
  const [category, setCategory] = useState('')
  const configure = useAct(configureForum, {
    changes: [listChannels],
    done: ({ label }) => `Connected ${label}.`,
    after: onClose,
  })
  const connect = useAct(connectForum, {
    changes: [listChannels],
    after: () => configure.run({ config: { url, category: Number(category) } }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        connect.run({ api_key })
      }}
    >
      <Field label="Address of the forum" type="url" value={url} onChange={setUrl} required />
      <Field
        label="Category"
        type="number"
        min={1}
        value={category}
        onChange={setCategory}
        required
        hint="Its number"
      />
      <Field
        label="Admin API key"
        type="password"
        value={api_key}
        onChange={setKey}
        required
        autoComplete="off"
        hint="For all users. It is stored sealed and never shown again."
      />
      <Fault of={connect.error ?? configure.error} />
      <FormFoot act="Connect forum" isRunning={connect.isRunning || configure.isRunning} onClose={onClose} />
    </form>
  )
}
