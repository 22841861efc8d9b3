import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/form/choice.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { StatusChip } from '#console/parts/list/chip.tsx'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listTickets, type Ticket } from '#contract/tickets.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { nameOfPerson, STATUS_CHOICES, showTicketStatus } from './describe-ticket.ts'
import { FileTicket } from './file-ticket.tsx'

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
  const columns: readonly Column<Omit<Ticket, 'body'>>[] = [
    {
      head: 'Ticket',
      cell: ({ id, title }) => (
        <Link to="/apps/$alias/tickets/$ticketId" params={{ alias, ticketId: id }}>
          {title}
        </Link>
      ),
    },
    { head: 'State', cell: (ticket) => <StatusChip of={showTicketStatus(ticket.status)} /> },
    { head: 'Filed by', cell: ({ reporter }) => nameOfPerson(reporter), isWide: true },
    { head: 'Filed', cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
    { head: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ]
  return (
    <AppPage
      section="Tickets"
      acts={!me.read_only && <Opener label="File ticket" look="main" dialog={<FileTicket alias={alias} />} />}
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
      <List
        isStacked
        of={tickets}
        caption={`Tickets on ${alias}`}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={status || mine ? 'No ticket matches' : 'No tickets'}>
            <p>People file tickets when something is wrong with the app. The people who build it answer here.</p>
            <Copy
              isBlock
              text={`svc tickets file ${alias} "What is wrong" --body "What you saw, and what you expected"`}
            />
          </Empty>
        }
      />
    </AppPage>
  )
}
