import type { Follow } from '#contract/notifications/follows.ts'
import { listFollows } from '#contract/notifications/follows.ts'
import { useCall } from '../../../call/use-call.ts'
import { Chip } from '../../../parts/chip.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { type Column, Table } from '../../../parts/table.tsx'

const COLUMNS: readonly Column<Follow>[] = [
  { head: 'App', cell: ({ app }) => app.name ?? app.alias ?? 'deleted app' },
  { head: 'Follows', cell: ({ categories }) => categories.join(', ') },
  { head: 'Sent', cell: ({ frequency }) => frequency, isWide: true },
  { head: 'Last outcome', cell: ({ last_outcome }) => <Outcome of={last_outcome} /> },
]

/** The apps that the person follows, with what became of the newest message about each. */
export function Follows() {
  const follows = useCall(listFollows, {})
  return (
    <Loaded of={follows}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="You follow no app">
            <p>Open an app and choose what you want to hear about.</p>
          </Empty>
        ) : (
          <Table caption="Apps you follow" columns={COLUMNS} rows={items} keyOf={({ app }) => app.id} />
        )
      }
    </Loaded>
  )
}

function Outcome({ of }: { of: Follow['last_outcome'] }) {
  if (of === null) return <span className="soft">nothing sent yet</span>
  if (of.reason === 'outcome_unknown') return <Chip tone="unknown">Unknown</Chip>
  if (of.status === 'delivered') return <Chip tone="success">Delivered</Chip>
  if (of.status === 'retrying') return <Chip tone="attention">Retrying</Chip>
  return (
    <>
      <Chip tone="failure">Not sent</Chip> <code>{of.reason}</code>
    </>
  )
}
