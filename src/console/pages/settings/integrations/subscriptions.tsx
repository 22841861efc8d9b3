import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Choice } from '#console/parts/choice.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Switch } from '#console/parts/switch.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import {
  changeSubscription,
  deleteSubscription,
  listSubscriptions,
  type Subscription,
} from '#contract/notifications/subscriptions.ts'
import { Subscribe } from './subscribe.tsx'
import { TIMINGS } from './timings.ts'

const COLUMNS: readonly Column<Subscription>[] = [
  { head: 'Event type', cell: ({ event_type }) => <code>{event_type}</code> },
  { head: 'Channel', cell: ({ channel }) => channel.label },
  { head: 'State', cell: (subscription) => <Enabled subscription={subscription} /> },
  { head: 'Sent', cell: (subscription) => <TimingChoice subscription={subscription} />, isWide: true },
  { head: 'Acts', cell: (subscription) => <Delete subscription={subscription} />, isWide: true },
]

/** The notifications card: which events go to which channel. */
export function Subscriptions() {
  const subscriptions = useCall(listSubscriptions, {})
  const [isAdding, setAdding] = useState(false)
  return (
    <section className="part" aria-labelledby="notifications">
      <div className="part-head">
        <h2 id="notifications">Notifications</h2>
        <button type="button" className="button" onClick={() => setAdding(true)}>
          Add subscription
        </button>
      </div>
      <Loaded of={subscriptions}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No subscriptions yet">
              <p>A subscription sends every event of a type to one channel.</p>
            </Empty>
          ) : (
            <Table caption="Subscriptions" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isAdding && <Subscribe onClose={() => setAdding(false)} />}
    </section>
  )
}

const WHY = {
  admin: 'Off',
  unsubscribe: 'The recipient unsubscribed',
  unconfirmed: 'Waits for the recipient',
  connection_lost: 'The connection was lost',
  gone: 'The receiver is gone',
} as const

function Enabled({ subscription: { id, enabled, disabled_by, event_type, notice } }: { subscription: Subscription }) {
  const change = useAct(changeSubscription, { changes: [listSubscriptions] })
  if (disabled_by === 'unsubscribe' || disabled_by === 'unconfirmed') {
    return (
      <>
        <Chip tone="plain">{WHY[disabled_by]}</Chip>
        <p className="soft">{notice}</p>
      </>
    )
  }
  return (
    <>
      <Switch
        label={enabled ? 'On' : WHY[disabled_by ?? 'admin']}
        isOn={enabled}
        isBusy={change.isRunning}
        onChange={(isOn) => change.run({ id, enabled: isOn })}
      />
      <span className="visually-hidden">{event_type}</span>
      {notice !== null && disabled_by !== 'admin' && <p className="soft">{notice}</p>}
      <Fault of={change.error} />
    </>
  )
}

function TimingChoice({ subscription: { id, timing, event_type } }: { subscription: Subscription }) {
  const change = useAct(changeSubscription, { changes: [listSubscriptions], done: () => 'Saved.' })
  return (
    <>
      <Choice
        label={`When ${event_type} is sent`}
        isCompact
        value={timing}
        options={TIMINGS}
        onChange={(chosen) => change.run({ id, timing: chosen })}
      />
      <Fault of={change.error} />
    </>
  )
}

function Delete({ subscription: { id, event_type } }: { subscription: Subscription }) {
  const remove = useAct(deleteSubscription, {
    changes: [listSubscriptions],
    done: () => `Deleted the subscription to ${event_type}.`,
  })
  return (
    <>
      <button type="button" className="button small" aria-busy={remove.isRunning} onClick={() => remove.run({ id })}>
        Delete<span className="visually-hidden"> the subscription to {event_type}</span>
      </button>
      <Fault of={remove.error} />
    </>
  )
}
