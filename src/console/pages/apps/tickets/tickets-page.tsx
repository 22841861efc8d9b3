import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Empty } from '#console/parts/empty.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listTickets, type Ticket } from '#contract/tickets.ts'
import { AppPage } from '../app-page.tsx'
import { Commands } from '../commands.tsx'
import { useAlias } from '../use-alias.ts'
import { FileTicket } from './file-ticket.tsx'
import { TicketChip } from './ticket-chip.tsx'
import { nameOfPerson, STATUS_CHOICES } from './ticket-words.ts'

const STATUSES = [{ value: 'any', label: 'Any state' }, ...STATUS_CHOICES] as const
const WHOSE = [
  { value: 'all', label: 'Of everyone' },
  { value: 'mine', label: 'Filed by me' },
] as const

/** Tickets on the app. Members without a part in it see those that they filed. */
export function TicketsPage() {
  const alias = useAlias()
  const { me } = useSession()
  const { status, mine } = useSearch({ from: '/apps/$alias/tickets' })
  const navigate = useNavigate({ from: '/apps/$alias/tickets' })
  const tickets = usePages(listTickets, { alias, ...(status && { status }), ...(mine && { mine }) })
  const [isFiling, setFiling] = useState(false)
  const columns: readonly Column<Omit<Ticket, 'body'>>[] = [
    {
      head: 'Ticket',
      cell: ({ id, title }) => (
        <Link to="/apps/$alias/tickets/$ticketId" params={{ alias, ticketId: id }}>
          {title}
        </Link>
      ),
    },
    { head: 'State', cell: (ticket) => <TicketChip status={ticket.status} /> },
    { head: 'Filed by', cell: ({ reporter }) => nameOfPerson(reporter), isWide: true },
    { head: 'Filed', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    { head: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
  return (
    <AppPage
      section="Tickets"
      acts={
        !me.read_only && (
          <button type="button" className="button main" onClick={() => setFiling(true)}>
            File ticket
          </button>
        )
      }
    >
      <div className="filters">
        <Choice
          label="State"
          isCompact
          value={status ?? 'any'}
          options={STATUSES}
          onChange={(value) => void navigate({ search: { mine, status: value === 'any' ? undefined : value } })}
        />
        <Choice
          label="Filed by"
          isCompact
          value={mine ? 'mine' : 'all'}
          options={WHOSE}
          onChange={(value) => void navigate({ search: { status, mine: value === 'mine' ? true : undefined } })}
        />
      </div>
      <Loaded of={tickets}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={status || mine ? 'No ticket matches' : 'No tickets'}>
              <p>People file tickets when something is wrong with the app. The people who build it answer here.</p>
              <Commands
                lines={[`svc tickets file ${alias} "What is wrong" --body "What you saw, and what you expected"`]}
              />
            </Empty>
          ) : (
            <>
              <Table caption={`Tickets on ${alias}`} columns={columns} rows={items} keyOf={({ id }) => id} />
              <More of={tickets} />
            </>
          )
        }
      </Loaded>
      {isFiling && <FileTicket alias={alias} onClose={() => setFiling(false)} />}
    </AppPage>
  )
}
