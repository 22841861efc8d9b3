import { ActForm } from '#console/parts/form/act-form.tsx'
import { TextArea } from '#console/parts/form/text-area.tsx'
import { Tick } from '#console/parts/form/tick.tsx'
import { listReplies, listTickets, readTicket, replyToTicket } from '#contract/tickets.ts'

type Props = { alias: string; ticketId: string; canBeInternal: boolean }

/** Writes a reply. People who build the app can keep it among themselves. */
export function Reply({ alias, ticketId, canBeInternal }: Props) {
  return (
    <ActForm
      op={replyToTicket}
      fields={{ body: '', internal: false }}
      input={(typed) => ({ alias, ticket_id: ticketId, ...typed })}
      changes={[listReplies, readTicket, listTickets]}
      done={(_, { internal }) => (internal ? 'Wrote an internal reply. Nobody is notified.' : 'Sent the reply.')}
      // Text that was typed while the reply was sent stays in the field.
      after={(_, sent, { change }) => change(({ body }) => (body === sent.body ? { body: '' } : {}))}
      submit={({ internal }) => (internal ? 'Write internal reply' : 'Send reply')}
    >
      <TextArea label="Reply" name="body" required />
      {canBeInternal && (
        <Tick name="internal" className="check-line">
          Internal: only people who build the app see it, and nobody is notified
        </Tick>
      )}
    </ActForm>
  )
}
