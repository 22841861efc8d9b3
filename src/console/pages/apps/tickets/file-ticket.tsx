import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { TextArea } from '#console/parts/text-area.tsx'
import { fileTicket, listTickets } from '#contract/tickets.ts'

export function FileTicket({ alias, onClose }: { alias: string; onClose: () => void }) {
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [body, setBody] = useState('')
  const file = useAct(fileTicket, {
    changes: [listTickets],
    done: () => 'Filed the ticket. You are told when somebody replies.',
    after: ({ id }) => void navigate({ to: '/apps/$alias/tickets/$ticketId', params: { alias, ticketId: id } }),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    file.run({ alias, title, body })
  }
  const titleFault = faultOf(file.error, 'title')
  const bodyFault = faultOf(file.error, 'body')
  return (
    <Dialog title="File ticket" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Title" value={title} onChange={setTitle} required maxLength={200} fault={titleFault} />
        <TextArea
          label="What happened"
          value={body}
          onChange={setBody}
          required
          maxLength={16_000}
          fault={bodyFault}
          hint="What you saw, and what you expected"
        />
        {titleFault === undefined && bodyFault === undefined && <Fault of={file.error} />}
        <FormFoot act="File ticket" isRunning={file.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}
