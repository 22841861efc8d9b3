import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { LongList } from '#console/parts/list/long-list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Delivery, listDeliveries } from '#contract/notifications/deliveries.ts'
import { DeliveryChip } from './delivery-chip.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { DeliveryOutcomes } from './delivery-outcomes.tsx'
import { destinationName } from './destination-name.ts'
import { OrganizationPage } from './organization-page.tsx'

const STATUSES = [
  { value: 'all', label: 'Every outcome' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'pending', label: 'Waiting' },
  { value: 'retrying', label: 'Retrying' },
  { value: 'not_sent', label: 'Not sent' },
] as const

const columnsOf = (onOpen: (id: string) => void): readonly Column<Delivery>[] => [
  {
    head: 'Event',
    cell: ({ id, event }) => (
      <button type="button" className="link" onClick={() => onOpen(id)}>
        {event.subject}
      </button>
    ),
  },
  { head: 'Outcome', cell: (delivery) => <DeliveryChip delivery={delivery} /> },
  { head: 'To', cell: ({ destination }) => (destination ? destinationName(destination) : 'nobody'), isWide: true },
  { head: 'Type', cell: ({ event }) => <code>{event.type}</code>, isWide: true },
  { head: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true, isWide: true },
  { head: 'When', cell: ({ event }) => <Time at={event.occurred_at} /> },
]

export function DeliveriesPage() {
  const { status } = useSearch({ from: '/settings/organization/deliveries' })
  const navigate = useNavigate({ from: '/settings/organization/deliveries' })
  const [open, setOpen] = useState<string>()
  const deliveries = usePages(listDeliveries, { limit: 100, ...(status && { status }) }, { isWatched: true })
  return (
    <OrganizationPage>
      <DeliveryOutcomes />
      <div className="filters">
        <Choice
          label="Outcome"
          isCompact
          value={status ?? 'all'}
          options={STATUSES}
          onChange={(chosen) => void navigate({ search: chosen === 'all' ? {} : { status: chosen } })}
        />
      </div>
      <LongList
        hasSentences
        of={deliveries}
        caption="Deliveries"
        columns={columnsOf(setOpen)}
        keyOf={({ id }) => id}
        empty={
          <Empty title={status ? 'No event with this outcome' : 'No events yet'}>
            <p>Every event of your organization is listed here with what became of it, also those sent to nobody.</p>
          </Empty>
        }
      />
      {open !== undefined && <DeliveryDetail id={open} onClose={() => setOpen(undefined)} />}
    </OrganizationPage>
  )
}
