import { useAct } from '#console/call/use-act.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { useClose } from '#console/parts/form/close-context.ts'
import { Field } from '#console/parts/form/field.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { configureForum, connectForum } from '#contract/notifications/forum.ts'

/** Saves the key of a Discourse forum, then tries it at the forum. */
export function AddForum() {
  const close = useClose()
  const configure = useAct(configureForum, {
    changes: [listChannels],
    done: ({ label }) => `Connected ${label}.`,
    after: () => close?.(),
  })
  return (
    <ActForm
      op={connectForum}
      fields={{ url: '', category: '', api_key: '' }}
      input={({ api_key }) => ({ api_key })}
      changes={[listChannels]}
      after={(_, __, { typed }) => configure.run({ config: { url: typed.url, category: Number(typed.category) } })}
      next={configure}
      submit="Connect forum"
    >
      <Field label="Address of the forum" name="url" type="url" required />
      <Field label="Category" name="category" type="number" min={1} required hint="Its number" />
      <Field
        label="Admin API key"
        name="api_key"
        type="password"
        required
        autoComplete="off"
        hint="For all users. It is stored sealed and never shown again."
      />
    </ActForm>
  )
}
