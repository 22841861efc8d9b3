import type { z } from 'zod'
import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Tick } from '#console/parts/form/tick.tsx'
import { type Column, Table } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Delivery, listDeliveries, readDelivery, resendDelivery } from '#contract/notifications/deliveries.ts'
import { DeliveryChip } from './delivery-chip.tsx'

type Try = z.infer<typeof readDelivery.output>['tries'][number]

const COLUMNS: readonly Column<Try>[] = [
  { head: 'Attempt', cell: ({ attempt }) => attempt, isNumber: true },
  { head: 'Outcome', cell: ({ outcome }) => outcome ?? 'running' },
  { head: 'Answer', cell: ({ status, reason }) => [status, reason].filter((part) => part !== null).join(' ') },
  { head: 'When', cell: ({ started_at }) => <Time at={started_at} /> },
]

/** One delivery with every attempt, and the way to send it again. */
export function DeliveryDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useCall(
    readDelivery,
    { id },
    { poll: (read) => (read?.state === 'pending' || read?.state === 'sending') && 'scheduled' },
  )
  return (
    <Dialog title="Delivery" onClose={onClose}>
      <Loaded of={delivery}>
        {(read) => (
          <>
            <p>
              <strong>{read.event.subject}</strong>
            </p>
            <p>
              <DeliveryChip delivery={read} /> to {read.destination?.label ?? 'nobody'}
              {read.reason !== null && (
                <>
                  {' '}
                  · <code>{read.reason}</code>
                </>
              )}
            </p>
            {read.tries.length > 0 && (
              <Table caption="Attempts" columns={COLUMNS} rows={read.tries} keyOf={({ attempt }) => String(attempt)} />
            )}
            {read.state === 'failed' && read.delivery_id !== null && <Resend delivery={read} id={read.delivery_id} />}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Resend({ delivery: { reason }, id }: { delivery: Delivery; id: string }) {
  const isUnknown = reason === 'outcome_unknown'
  return (
    <ActForm
      op={resendDelivery}
      fields={{ may_arrive_twice: false }}
      input={(typed) => ({ id, ...typed })}
      changes={[listDeliveries, readDelivery]}
      done="Sent again. The former message stays in the list as it ended."
      submit="Send again"
      look=""
      foot={(button) => <footer className="row">{button}</footer>}
      isReady={({ may_arrive_twice }) => !isUnknown || may_arrive_twice}
    >
      {isUnknown && (
        <>
          <p>Unknown. The connection broke after the message was sent, so nobody can tell whether it arrived.</p>
          <Tick name="may_arrive_twice">Send again although it may arrive twice</Tick>
        </>
      )}
    </ActForm>
  )
}
