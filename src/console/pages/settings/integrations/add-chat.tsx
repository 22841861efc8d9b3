import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { connectChat, readChat, startChatInstallation } from '#contract/notifications/chat.ts'

/** Installs the app in the workspace where the operator configured one, or takes an incoming webhook. */
export function AddChat() {
  const chat = useCall(readChat, {})
  const install = useAct(startChatInstallation, { after: ({ url }) => location.assign(url) })
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
      <ActForm
        op={connectChat}
        fields={{ webhook_url: '', name: '' }}
        input={({ webhook_url, name }) => ({ webhook_url, ...(name !== '' && { name }) })}
        changes={[listChannels, readChat]}
        done={({ warnings }) => ['Connected the chat channel.', ...warnings].join(' ')}
        next={install}
        submit="Connect chat channel"
      >
        <Field
          label="Incoming webhook"
          name="webhook_url"
          type="url"
          required
          autoComplete="off"
          hint="It is secret: whoever knows it can post. It is never shown again."
        />
        <Field label="Name" name="name" hint="Such as #support" />
      </ActForm>
    </>
  )
}
