import { useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { listChannels } from '#contract/notifications/channels.ts'
import { createSubscription, listSubscriptions } from '#contract/notifications/subscriptions.ts'
import { TIMINGS, type TimingName } from './timings.ts'

/** The event type is free text without a list: new types come with new releases, and prefixes stand for many. */
export function Subscribe({ onClose }: { onClose: () => void }) {
  const channels = useCall(listChannels, {})
  const [event_type, setType] = useState('')
  const [timing, setTiming] = useState<TimingName>('immediately')
  const [chosen, setChannel] = useState<string>()
  const create = useAct(createSubscription, {
    changes: [listSubscriptions],
    done: ({ channel, notice }) => notice ?? `${channel.label} now gets ${event_type}.`,
    after: onClose,
  })
  const fault = faultOf(create.error, 'event_type')
  return (
    <Dialog title="Add subscription" onClose={onClose}>
      <Loaded of={channels}>
        {({ items }) => {
          const channel_id = chosen ?? items[0]?.id
          if (channel_id === undefined) return <p>Add a channel first. A subscription sends events to it.</p>
          return (
            <form
              onSubmit={(event) => {
                event.preventDefault()
                create.run({ event_type, channel_id, timing })
              }}
            >
              <Field
                label="Event type"
                value={event_type}
                onChange={setType}
                required
                autoComplete="off"
                spellCheck={false}
                hint="A type such as deploy.failed, or a prefix such as support.ticket.*"
                fault={fault}
              />
              <Choice
                label="Channel"
                value={channel_id}
                options={items.map(({ id, label }) => ({ value: id, label }))}
                onChange={setChannel}
              />
              <Choice label="Sent" value={timing} options={TIMINGS} onChange={setTiming} />
              {fault === undefined && <Fault of={create.error} />}
              <FormFoot act="Add subscription" isRunning={create.isRunning} onClose={onClose} />
            </form>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
