import { useParams } from '@tanstack/react-router'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { Time } from '#console/parts/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listReplies, listTickets, moveTicket, readTicket, type Ticket } from '#contract/tickets.ts'
import { AppDetail } from '../app-detail.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { Message } from './message.tsx'
import { Reply } from './reply.tsx'
import { TicketChip } from './ticket-chip.tsx'
import { nameOfPerson, STATUS_CHOICES } from './ticket-words.ts'

/** A ticket with its replies. */
export function TicketPage() {
  const alias = useAlias()
  const { me } = useSession()
  const { ticketId = '' } = useParams({ strict: false })
  const { canBuild } = useApp(alias)
  const ticket = useCall(readTicket, { alias, ticket_id: ticketId })
  return (
    <AppDetail
      title={ticket.data?.title ?? 'Ticket'}
      section={{ label: 'Tickets', link: { to: '/apps/$alias/tickets', params: { alias } } }}
    >
      <Loaded of={ticket}>
        {(data) => (
          <div className="stack">
            <div className="row">
              <TicketChip status={data.status} />
              <span className="soft">
                filed by {nameOfPerson(data.reporter)} <Time at={data.created_at} />
              </span>
              {canBuild && <Move alias={alias} ticket={data} />}
            </div>
            <Message author={nameOfPerson(data.reporter)} at={data.created_at} body={data.body} />
            <Replies alias={alias} ticketId={data.id} />
            {!me.read_only && <Reply alias={alias} ticketId={data.id} canBeInternal={canBuild} />}
          </div>
        )}
      </Loaded>
    </AppDetail>
  )
}

function Move({ alias, ticket }: { alias: string; ticket: Ticket }) {
  const move = useAct(moveTicket, { changes: [readTicket, listTickets], done: () => 'Moved the ticket.' })
  return (
    <>
      <Choice
        label="Move ticket to"
        isCompact
        value={ticket.status}
        options={STATUS_CHOICES}
        onChange={(status) => move.run({ alias, ticket_id: ticket.id, status })}
      />
      <Fault of={move.error} />
    </>
  )
}

function Replies({ alias, ticketId }: { alias: string; ticketId: string }) {
  const replies = usePages(listReplies, { alias, ticket_id: ticketId, limit: 100 })
  return (
    <Loaded of={replies}>
      {(items) => (
        <>
          <More of={replies} />
          {items.toReversed().map(({ id, author, created_at, body, internal }) => (
            <Message key={id} author={nameOfPerson(author)} at={created_at} body={body} isInternal={internal} />
          ))}
        </>
      )}
    </Loaded>
  )
}
