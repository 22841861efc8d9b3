import { useParams } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { ActChoice } from '#console/parts/form/act-choice.tsx'
import { Chip, StatusChip } from '#console/parts/list/chip.tsx'
import { More } from '#console/parts/list/more.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listReplies, listTickets, moveTicket, readTicket, type Ticket } from '#contract/tickets.ts'
import { AppDetail } from '../app-detail.tsx'
import { useApp } from '../use-app.ts'
import { nameOfPerson, STATUS_CHOICES, showTicketStatus } from './describe-ticket.ts'
import { Reply } from './reply.tsx'

/** A ticket with its replies. */
export function TicketPage() {
  const { alias, canBuild } = useApp()
  const { me } = useSession()
  const { ticketId = '' } = useParams({ strict: false })
  const ticket = useCall(readTicket, { alias, ticket_id: ticketId }, { poll: 'scheduled' })
  return (
    <AppDetail title={ticket.data?.title ?? 'Ticket'} section="Tickets">
      <Loaded of={ticket}>
        {(data) => (
          <div className="stack">
            <div className="row">
              {canBuild ? <Move alias={alias} ticket={data} /> : <StatusChip of={showTicketStatus(data.status)} />}
              <span className="soft">
                filed by {nameOfPerson(data.reporter)} <Time at={data.created_at} />
              </span>
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
  return (
    <ActChoice
      op={moveTicket}
      input={(status) => ({ alias, ticket_id: ticket.id, status })}
      changes={[readTicket, listTickets]}
      done="Moved the ticket."
      label="Move ticket to"
      value={ticket.status}
      options={STATUS_CHOICES}
    />
  )
}

function Replies({ alias, ticketId }: { alias: string; ticketId: string }) {
  const replies = usePages(listReplies, { alias, ticket_id: ticketId, limit: 100 }, { isWatched: true })
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

type MessageProps = { author: string; at: string; body: string; isInternal?: boolean }

/** The text of a person, with its line breaks. */
function Message({ author, at, body, isInternal = false }: MessageProps) {
  return (
    <article className={isInternal ? 'card message internal' : 'card message'}>
      <p className="row soft">
        <strong>{author}</strong> <Time at={at} /> {isInternal && <Chip tone="plain">Internal</Chip>}
      </p>
      <p className="prose">{body}</p>
    </article>
  )
}
