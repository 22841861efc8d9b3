import { useNavigate } from '@tanstack/react-router'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { TextArea } from '#console/parts/form/text-area.tsx'
import { fileTicket, listTickets } from '#contract/tickets.ts'

export function FileTicket({ alias }: { alias: string }) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="File ticket"
      op={fileTicket}
      fields={{ title: '', body: '' }}
      input={(typed) => ({ alias, ...typed })}
      changes={[listTickets]}
      done="Filed the ticket. You are told when somebody replies."
      after={({ id }) => void navigate({ to: '/apps/$alias/tickets/$ticketId', params: { alias, ticketId: id } })}
    >
      <Field label="Title" name="title" required />
      <TextArea label="What happened" name="body" required hint="What you saw, and what you expected" />
    </FormDialog>
  )
}
