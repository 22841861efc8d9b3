import { type SubmitEvent, useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { TextArea } from '#console/parts/text-area.tsx'
import { listReplies, listTickets, readTicket, replyToTicket } from '#contract/tickets.ts'

type Props = { alias: string; ticketId: string; canBeInternal: boolean }

/** Writes a reply. People who build the app can keep it among themselves. */
export function Reply({ alias, ticketId, canBeInternal }: Props) {
  const [body, setBody] = useState('')
  const [internal, setInternal] = useState(false)
  const reply = useAct(replyToTicket, {
    changes: [listReplies, readTicket, listTickets],
    done: () => (internal ? 'Wrote an internal reply. Nobody is notified.' : 'Sent the reply.'),
    // What was typed while the reply was sent is kept.
    after: (_, sent) => setBody((typed) => (typed === sent.body ? '' : typed)),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    reply.run({ alias, ticket_id: ticketId, body, internal })
  }
  return (
    <form onSubmit={submit}>
      <TextArea label="Reply" value={body} onChange={setBody} required maxLength={16_000} />
      {canBeInternal && (
        <label className="check-line">
          <input type="checkbox" checked={internal} onChange={(event) => setInternal(event.currentTarget.checked)} />
          Internal: only people who build the app see it, and nobody is notified
        </label>
      )}
      <Fault of={reply.error} />
      <button type="submit" className="button main" aria-busy={reply.isRunning}>
        {internal ? 'Write internal reply' : 'Send reply'}
      </button>
    </form>
  )
}
