import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { createWebhook } from '#contract/notifications/webhooks.ts'

export function AddWebhook() {
  return (
    <ActForm
      op={createWebhook}
      fields={{ url: '', name: '' }}
      input={({ url, name }) => ({ url, ...(name !== '' && { name }) })}
      changes={[listChannels]}
      done={({ label, warnings }) => [`Added ${label}.`, ...warnings].join(' ')}
      submit="Add webhook"
    >
      <Field
        label="URL"
        name="url"
        type="url"
        required
        autoComplete="off"
        hint="It is secret: the signing key is made from it, and it is never shown again."
      />
      <Field label="Name" name="name" hint="Optional" />
    </ActForm>
  )
}
