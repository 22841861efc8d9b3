import { useState } from 'react'
import type { z } from 'zod'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
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
  const delivery = useCall(readDelivery, { id })
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
            {read.state === 'failed' && read.delivery_id !== null && (
              <Resend delivery={read} id={read.delivery_id} onClose={onClose} />
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Resend({ delivery: { reason }, id, onClose }: { delivery: Delivery; id: string; onClose: () => void }) {
  const isUnknown = reason === 'outcome_unknown'
  const [accepts, setAccepts] = useState(false)
  const resend = useAct(resendDelivery, {
    changes: [listDeliveries, readDelivery],
    done: () => 'Sent again. The former message stays in the list as it ended.',
    after: onClose,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        resend.run({ id, may_arrive_twice: accepts })
      }}
    >
      {isUnknown && (
        <>
          <p>Unknown. The connection broke after the message was sent, so nobody can tell whether it arrived.</p>
          <label className="tick">
            <input type="checkbox" checked={accepts} onChange={(event) => setAccepts(event.currentTarget.checked)} />
            Send again although it may arrive twice
          </label>
        </>
      )}
      <Fault of={resend.error} />
      <footer className="row">
        <button type="submit" className="button" disabled={isUnknown && !accepts} aria-busy={resend.isRunning}>
          Send again
        </button>
      </footer>
    </form>
  )
}
