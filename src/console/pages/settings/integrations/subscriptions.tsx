import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { ActChoice } from '#console/parts/form/act-choice.tsx'
import { Fault } from '#console/parts/form/fault.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Switch } from '#console/parts/form/switch.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
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
  { head: 'Channel', cell: ({ channel }) => channel.label, isPlain: true },
  { head: 'State', cell: (subscription) => <Enabled subscription={subscription} /> },
  { head: 'Sent', cell: (subscription) => <TimingChoice subscription={subscription} /> },
  { head: 'Actions', cell: (subscription) => <Delete subscription={subscription} /> },
]

/** The notifications card: which events go to which channel. */
export function Subscriptions() {
  const subscriptions = useCall(listSubscriptions, {})
  return (
    <section className="part" aria-labelledby="notifications">
      <div className="part-head">
        <h2 id="notifications">Notifications</h2>
        <Opener label="Add subscription" dialog={<Subscribe />} />
      </div>
      <List
        isStacked
        of={subscriptions}
        caption="Subscriptions"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No subscriptions yet">
            <p>A subscription sends every event of a type to one channel.</p>
          </Empty>
        }
      />
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
  return (
    <ActChoice
      op={changeSubscription}
      input={(chosen) => ({ id, timing: chosen })}
      changes={[listSubscriptions]}
      done="Saved."
      label={`When ${event_type} is sent`}
      value={timing}
      options={TIMINGS}
    />
  )
}

function Delete({ subscription: { id, event_type } }: { subscription: Subscription }) {
  return (
    <ActButton
      op={deleteSubscription}
      input={{ id }}
      look="small"
      changes={[listSubscriptions]}
      done={`Deleted the subscription to ${event_type}.`}
    >
      Delete<span className="visually-hidden"> the subscription to {event_type}</span>
    </ActButton>
  )
}
