import { useState } from 'react'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { type Channel, listChannels } from '#contract/notifications/channels.ts'
import { AddChannel } from './add-channel.tsx'
import { ChannelActs } from './channel-acts.tsx'

const COLUMNS: readonly Column<Channel>[] = [
  { head: 'Channel', cell: ({ label }) => label },
  { head: 'Kind', cell: ({ kind }) => kind, isWide: true },
  { head: 'State', cell: (channel) => <ChannelState channel={channel} /> },
  { head: 'Acts', cell: (channel) => <ChannelActs channel={channel} /> },
]

/** Email addresses, chat, webhooks and the forum that an admin connected. */
export function Channels() {
  const channels = useCall(listChannels, {})
  const [isAdding, setAdding] = useState(false)
  return (
    <section aria-labelledby="channels">
      <div className="part-head">
        <h2 id="channels">Channels</h2>
        <button type="button" className="button main" onClick={() => setAdding(true)}>
          Add channel
        </button>
      </div>
      <Loaded of={channels}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No channels yet">
              <p>Add an email address, a chat channel, a webhook or a forum. Then subscribe it to events below.</p>
            </Empty>
          ) : (
            <Table caption="Channels" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {isAdding && <AddChannel onClose={() => setAdding(false)} />}
    </section>
  )
}

function ChannelState({ channel: { state, disabled_reason, failing_since } }: { channel: Channel }) {
  if (state === 'disabled')
    return (
      <>
        <Chip tone="failure">Disabled</Chip> {disabled_reason}
      </>
    )
  if (state === 'unconfirmed') return <Chip tone="attention">Waits for confirmation</Chip>
  if (failing_since !== null)
    return (
      <>
        <Chip tone="attention">Failing</Chip> since <Time at={failing_since} />
      </>
    )
  return <Chip tone="success">Active</Chip>
}
