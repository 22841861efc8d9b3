import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { connectChat, readChat, startChatInstallation } from '#contract/notifications/chat.ts'

/** Installs the app in the workspace where the operator configured one, or takes an incoming webhook. */
export function AddChat({ onClose }: { onClose: () => void }) {
  const chat = useCall(readChat, {})
  const [webhook_url, setUrl] = useState('')
  const [name, setName] = useState('')
  const connect = useAct(connectChat, {
    changes: [listChannels, readChat],
    done: ({ warnings }) => ['Connected the chat channel.', ...warnings].join(' '),
    after: onClose,
  })
  const install = useAct(startChatInstallation, { changes: [], after: ({ url }) => location.assign(url) })
  return (
    <>
      {chat.data?.installable && (
        <p>
          <button type="button" className="button main" aria-busy={install.isRunning} onClick={() => install.run({})}>
            Install in workspace
          </button>{' '}
          <span className="soft">Also allows direct messages to people. Or paste a webhook:</span>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          connect.run({ webhook_url, ...(name !== '' && { name }) })
        }}
      >
        <Field
          label="Incoming webhook"
          type="url"
          value={webhook_url}
          onChange={setUrl}
          required
          autoComplete="off"
          hint="It is secret: whoever knows it can post. It is never shown again."
        />
        <Field label="Name" value={name} onChange={setName} maxLength={100} hint="Such as #support" />
        <Fault of={install.error ?? connect.error} />
        <FormFoot act="Connect chat channel" isRunning={connect.isRunning} onClose={onClose} />
      </form>
    </>
  )
}
