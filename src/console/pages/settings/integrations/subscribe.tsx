import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { TIMINGS, type TimingName } from './timings.ts'

const AT_FIRST: { event_type: string; timing: TimingName } = { event_type: '', timing: 'immediately' }

/** The event type is free text without a list: new types come with new releases, and prefixes stand for many. */
export function Subscribe() {
  const channels = useCall(listChannels, {})
  return (
    <Dialog title="Add subscription">
      <Loaded of={channels}>
        {({ items }) =>
          items.length === 0 ? (
            <p>Add a channel first. A subscription sends events to it.</p>
          ) : (
            <ActForm
              op={createSubscription}
              fields={{ channel_id: items[0]!.id, ...AT_FIRST }}
              input={(typed) => typed}
              changes={[listSubscriptions]}
              done={({ channel, notice }, { event_type }) => notice ?? `${channel.label} now gets ${event_type}.`}
              submit="Add subscription"
            >
              <Field
                label="Event type"
                name="event_type"
                required
                autoComplete="off"
                spellCheck={false}
                hint="A type such as deploy.failed, or a prefix such as support.ticket.*"
              />
              <ChoiceField
                label="Channel"
                name="channel_id"
                options={items.map(({ id, label }) => ({ value: id, label }))}
              />
              <ChoiceField label="Sent" name="timing" options={TIMINGS} />
            </ActForm>
          )
        }
      </Loaded>
    </Dialog>
  )
}
